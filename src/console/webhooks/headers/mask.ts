/** In place of a header value. Its length tells nothing about the value. */
export const MASK = '••••••••'
