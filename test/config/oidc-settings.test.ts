import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { problemsOf } from './support.ts'

const KEY = `key_${'0'.repeat(26)}`

const COMPLETE = {
  POSTHORN_PUBLIC_URL: 'https://webhooks.example.com',
  POSTHORN_OIDC_ISSUER: 'https://accounts.example.com',
  POSTHORN_OIDC_CLIENT_ID: 'posthorn',
  POSTHORN_OIDC_CLIENT_SECRET: 'secret',
  POSTHORN_OIDC_ROLES: `groups=a:b:${KEY}, email=operator@example.com:${KEY}`,
}

const problemsWith = (changed: object) => problemsOf({ ...COMPLETE, ...changed })

describe('the settings of OpenID Connect', () => {
  test('are off by default', () => {
    expect(loadConfig({}).config.oidc).toBeNull()
  })

  test('keep the secret out of what is safe to print', () => {
    const { config, secrets } = loadConfig(COMPLETE)
    expect(config.oidc).toEqual({
      issuer: 'https://accounts.example.com',
      clientId: 'posthorn',
      roles: [
        { claim: 'groups', value: 'a:b', keyId: KEY },
        { claim: 'email', value: 'operator@example.com', keyId: KEY },
      ],
    })
    expect(secrets.oidcClientSecret).toBe('secret')
    expect(JSON.stringify(config)).not.toContain('"secret"')
  })

  test.each(['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000'])(
    'accept %s, because it is on this machine',
    (issuer) => expect(problemsWith({ POSTHORN_OIDC_ISSUER: issuer })).toEqual([]),
  )

  test.each([
    ['POSTHORN_OIDC_ISSUER', 'http://accounts.example.com', 'give the https:// URL'],
    ['POSTHORN_OIDC_ISSUER', 'http://localhost.example.com', 'give the https:// URL'],
    ['POSTHORN_OIDC_ISSUER', 'https://accounts.example.com/?a=b', 'without a query'],
    ['POSTHORN_OIDC_ROLES', 'groups=a', '"groups=a" is not a role'],
    ['POSTHORN_OIDC_ROLES', 'groups=a:key_1', 'is not a role'],
    ['POSTHORN_OIDC_ROLES', '', 'needs POSTHORN_OIDC_ROLES'],
    ['POSTHORN_OIDC_CLIENT_ID', '', 'needs POSTHORN_OIDC_CLIENT_ID'],
    ['POSTHORN_PUBLIC_URL', '', 'needs POSTHORN_PUBLIC_URL'],
  ])('reject %s=%s with the remedy', (name, value, remedy) => {
    expect(problemsWith({ [name]: value })).toEqual([expect.stringContaining(remedy)])
  })

  test('are rejected without an issuer', () => {
    expect(problemsWith({ POSTHORN_OIDC_ISSUER: '' })).toEqual([
      expect.stringContaining('POSTHORN_OIDC_CLIENT_ID needs POSTHORN_OIDC_ISSUER'),
      expect.stringContaining('POSTHORN_OIDC_ROLES needs POSTHORN_OIDC_ISSUER'),
    ])
  })
})
