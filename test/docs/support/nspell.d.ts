/** nspell brings no types. It is CommonJS. */
declare module 'nspell' {
  interface Dictionary {
    readonly aff: Uint8Array
    readonly dic: Uint8Array
  }
  interface Speller {
    correct(word: string): boolean
    add(word: string): Speller
  }
  const nspell: (dictionary: Dictionary) => Speller

  export = nspell
}
