/** Stands for the value of a header, which may be a credential. */
export const MASK = '•••'

/** Stands for the value of a header that no key decrypts. */
export const UNREADABLE = '(unreadable)'
