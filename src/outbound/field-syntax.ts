/** What the name of a header field is made of (RFC 9110, section 5.6.2). */
export const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** What its value may not have in it: all but tabs, spaces, visible ASCII and the upper half of Latin-1 (section 5.5). */
export const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/
