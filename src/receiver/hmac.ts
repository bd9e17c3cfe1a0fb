/** HMAC-SHA256 in base64, computed with Web Crypto, which every supported runtime has. */
export async function hmacSha256(
  keyBytes: Uint8Array<ArrayBuffer>,
  content: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const { subtle } = globalThis.crypto
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await subtle.importKey('raw', keyBytes, algorithm, false, ['sign'])
  const hmac = await subtle.sign('HMAC', key, content)
  return btoa(String.fromCharCode(...new Uint8Array(hmac)))
}
