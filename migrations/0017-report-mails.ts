/**
 * The page and the CSV of a report mail, until its alert is delivered. They are made with the alert, so that a delivery in
 * another process, or after a crash, sends the same.
 */
export const statements = [
  `CREATE TABLE report_mail (
    alert_id INTEGER PRIMARY KEY REFERENCES alert (id),
    subject TEXT NOT NULL CHECK (subject <> ''),
    html TEXT NOT NULL,
    csv_name TEXT,
    csv TEXT)`,
];
