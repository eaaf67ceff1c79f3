import fc from 'fast-check';

/** The first example that fails is enough: to look for a smaller one takes longer than all other tests. */
fc.configureGlobal({ endOnFailure: true });
