/** Bound of the `data` of an event, and of the example of an event type, as JSON. */
export const MAX_DATA_BYTES = 256 * 1024
