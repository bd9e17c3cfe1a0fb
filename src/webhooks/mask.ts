/** Replaces the value of a header, which can be a credential. */
export const MASK = '•••'

/** Replaces the name and value of headers that no key decrypts. */
export const UNREADABLE = '(unreadable)'
