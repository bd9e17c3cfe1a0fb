import { Button, Code, Divider, Loader, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Centered } from '../components/page/centered.tsx'
import { Notice } from '../components/page/notice.tsx'
import { oidcHost } from '../page-settings.ts'
import { OIDC_PATH, oidcFailure, signIn, takeSignInLink } from './sign-in.ts'
import { FAILURES } from './sign-in-failures.ts'

interface SignInProps {
  /** Why the last session ended, if there was one. */
  readonly reason: string | null
  onSignedIn(): void
}

/** Exchanges an API key for a session cookie. The browser does not store the key. */
export function SignInPage({ reason, onSignedIn }: SignInProps) {
  const [token, setToken] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [link, setLink] = useState(takeSignInLink)
  const [failure] = useState(oidcFailure)
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => {
    if (link === null) field.current?.focus()
  }, [link])

  useEffect(() => {
    if (link === null) return
    signIn({ link }).then((message) => {
      if (message === null) return onSignedIn()
      setError(message)
      setLink(null)
    })
  }, [link, onSignedIn])

  async function submit(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    const message = await signIn({ token: token.trim() })
    setBusy(false)
    if (message === null) onSignedIn()
    else setError(message)
  }

  if (link !== null) {
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
              {FAILURES[failure]}
            </Notice>
          )}
          {oidcHost !== '' && (
            <>
              <Button component="a" href={OIDC_PATH}>
                {`Sign in with ${oidcHost}`}
              </Button>
              <Divider label="or" />
            </>
          )}
          <PasswordInput
            ref={field}
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
