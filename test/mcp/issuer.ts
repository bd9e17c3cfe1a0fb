import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** A provider that issues access tokens: its discovery document and its keys over HTTP. */
export interface Issuer extends AsyncDisposable {
  readonly url: string
  /** An access token with these claims, valid for five minutes unless they say otherwise. */
  token(claims: JWTPayload): Promise<string>
  /** A token of the same claims that another key signed. */
  forged(claims: JWTPayload): Promise<string>
  /** Whether it answers. */
  isUp: boolean
}

export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const other = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1', alg: 'RS256', use: 'sig' }
  const server = createServer((request, response) => {
    if (!issuer.isUp) return void request.socket.destroy()
    const body = request.url === '/keys' ? { keys: [jwk] } : discovery()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const discovery = () => ({
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  })
  const sign = (key: CryptoKey) => (claims: JWTPayload) =>
    new SignJWT({
      iss: url,
      sub: 'ada',
      exp: Math.floor(Date.now() / 1_000) + 300,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'key-1', typ: 'at+jwt' })
      .setIssuedAt()
      .sign(key)
  const issuer: Issuer = {
    url,
    isUp: true,
    token: sign(privateKey),
    forged: sign(other.privateKey),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return issuer
}
