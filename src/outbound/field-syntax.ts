/** A valid header name (RFC 9110, section 5.6.2). */
export const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Matches a character that a header value must not contain (RFC 9110, section 5.5). */
export const INVALID_VALUE_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/
