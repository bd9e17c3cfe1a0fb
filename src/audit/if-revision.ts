/** The description of the field of an update input. */
export const IF_REVISION =
  'The `revision` that the caller read. If the object was changed since, the result is an `EditConflictError`, and nothing is changed. Default: the input overwrites changes.'
