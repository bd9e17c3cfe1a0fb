/** The description of the field of an update input. */
export const IF_REVISION =
  'The `revision` that the caller read. If fields of this input were changed since, the result is an `EditConflictError`, and nothing is changed. Changes of other fields do not matter. Default: the input overwrites changes.'
