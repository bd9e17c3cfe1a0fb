import { Button, Code, Divider, Loader, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, useEffect, useState } from 'react'
import { Centered } from '../components/page/centered.tsx'
import { Notice } from '../components/page/notice.tsx'
import { oidcHost } from '../page-settings.ts'
import { oidcFailure } from './sign-in-failures.ts'

interface SignInProps {
  /** The one-time link that the embedded mode prints at startup. */
  readonly link: string | null
  /** Why the last session ended, if there was one. */
  readonly reason: string | null
}

/** Exchanges an API key or the link for a session cookie. The browser does not store the key. */
export default function SignInPage({ link, reason }: SignInProps) {
  const [token, setToken] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(link !== null)
  const [failure] = useState(oidcFailure)

  async function signIn(credential: { token: string } | { link: string }) {
    setBusy(true)
    const problem = await requestSession(credential)
    if (problem === null) return location.reload()
    setError(problem)
    setBusy(false)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the link works once
  useEffect(() => {
    if (link !== null) void signIn({ link })
  }, [])

  function submit(event: FormEvent) {
    event.preventDefault()
    void signIn({ token: token.trim() })
  }

  if (busy && token === '') {
    return (
      <Centered>
        <Loader aria-label="Signing in" />
      </Centered>
    )
  }
  return (
    <Centered>
      <form onSubmit={submit}>
        <Stack>
          <Title order={1} size="h3">
            Sign in
          </Title>
          {reason !== null && error === null && (
            <Notice color="yellow" title="Your session has ended">
              {reason}
            </Notice>
          )}
          {failure !== null && (
            <Notice color="red" title="You are not signed in">
              {failure}
            </Notice>
          )}
          {oidcHost !== '' && (
            <>
              <Button component="a" href="/console/session/oidc">
                {`Sign in with ${oidcHost}`}
              </Button>
              <Divider label="or" />
            </>
          )}
          <PasswordInput
            autoFocus
            label="API key"
            description="Starts a session of at most 7 days. This browser does not store the key."
            placeholder="phk_…"
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            error={error}
            errorProps={{ role: 'alert' }}
          />
          <Button
            type="submit"
            variant={oidcHost === '' ? 'filled' : 'default'}
            loading={busy}
            disabled={token.trim() === ''}
          >
            Sign in
          </Button>
          <Text size="sm" c="dimmed">
            On your own machine, <Code>npm start</Code> prints a sign-in link. Otherwise, ask your
            Posthorn operator, who creates keys with <Code>posthorn key create</Code>.
          </Text>
        </Stack>
      </form>
    </Centered>
  )
}

/** Requests a session cookie. Resolves to null, or to an error message. */
async function requestSession(credential: object): Promise<string | null> {
  const response = await fetch('/console/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'posthorn-console': '1' },
    body: JSON.stringify(credential),
  }).catch(() => null)
  if (response === null) return 'Posthorn is unreachable. Try again.'
  if (response.ok) return null
  const problem = await response.json().catch(() => null)
  return problem?.detail ?? `Posthorn responded with the status ${response.status}.`
}
