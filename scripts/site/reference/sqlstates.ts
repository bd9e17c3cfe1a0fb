/** The codes that the SQL functions raise, with the remedy. A test holds those of Posthorn to the migrations. */
export const SQLSTATES: Readonly<Record<string, { meaning: string; remedy: string }>> = {
  '22023': {
    meaning:
      'An argument is invalid: `invalid_parameter_value`. The message names each field of each event that breaks a rule.',
    remedy: 'Correct the fields that the message names. Nothing was published.',
  },
  '42501': {
    meaning: 'The role may not call the function: `insufficient_privilege`.',
    remedy:
      'Grant usage on the schema and execute on the overload that the role calls, as the page of SQL functions shows.',
  },
  '55000': {
    meaning:
      'A table that publishes its changes can no longer do so: `object_not_in_prerequisite_state`. A column is missing, or an event type is not in the catalogue any more.',
    remedy: 'Call `posthorn.publish_changes` again, or `posthorn.stop_publishing_changes`.',
  },
  PH401: {
    meaning:
      'An API key that is given with events was revoked or changed, or has expired. Only Posthorn itself gives keys.',
    remedy: 'Read the key again.',
  },
  PH409: {
    meaning:
      'An idempotency key was used for another event in the last 24 hours. The detail is a JSON list of the positions of the events.',
    remedy: 'Use a new key for a new event.',
  },
  PH410: {
    meaning: 'The organization was deleted while the statement ran.',
    remedy: 'Stop publishing for the organization.',
  },
  PH412: {
    meaning: 'An event type was changed or archived while the statement ran.',
    remedy: 'Run the transaction again.',
  },
  PH413: {
    meaning:
      'A statement on a table that publishes its changes would publish more events than `max_events`, or a row has more than 256 KiB.',
    remedy:
      'Change fewer rows in a statement, or raise `max_events` of `posthorn.publish_changes`.',
  },
}
