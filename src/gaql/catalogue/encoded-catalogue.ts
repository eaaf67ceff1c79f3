/** A field's name within its owner and its type: `INT64`, `ENUM:Device`, `RESOURCE_NAME[]` where a row holds a list. */
export type EncodedField = readonly [name: string, type: string];

/** What may be selected together with a resource, and what identifies one of its rows. */
export interface EncodedResource {
  /** Resources whose attributes come along without splitting a row; the resource itself first. */
  readonly attributed: readonly string[];
  /** Resources whose attributes may be selected too, but split the rows, as segments do. Left out when there are none. */
  readonly segmentedBy?: readonly string[];
  /** Places in the catalogue's list of metrics. */
  readonly metrics: readonly number[];
  /** Places in the catalogue's list of segments. */
  readonly segments: readonly number[];
  /** Full names of the fields that together identify a row within one account. */
  readonly key: readonly string[];
}

/** A catalogue as its file holds it: every field of the query language in one version of the interface. */
export interface EncodedCatalogue {
  readonly name: string;
  readonly sources: readonly string[];
  /** Values by enum, in the order of their definition. */
  readonly enums: Readonly<Record<string, readonly string[]>>;
  /** Attributes by resource, their names relative to it. */
  readonly attributes: Readonly<Record<string, readonly EncodedField[]>>;
  /** Names without `metrics.` */
  readonly metrics: readonly EncodedField[];
  /** Names without `segments.` */
  readonly segments: readonly EncodedField[];
  readonly resources: Readonly<Record<string, EncodedResource>>;
}

/** What the provider says of its resources and fields, one sentence or short paragraph each. */
export interface Descriptions {
  readonly resources: Readonly<Record<string, string>>;
  /** By full name; what has no comment is left out. */
  readonly fields: Readonly<Record<string, string>>;
}
