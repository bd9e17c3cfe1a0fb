import { Button, Code, Divider, Loader, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Trans } from 'react-i18next'
import { Centered } from '../components/page/centered.tsx'
import { Notice } from '../components/page/notice.tsx'
import { t } from '../strings/t.ts'
import { OIDC_PATH, oidcFailure, oidcHost } from './oidc.ts'
import { signIn } from './sign-in.ts'
import { takeSignInLink } from './sign-in-link.ts'

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
        <Loader aria-label={t('session:signIn.signingIn')} />
      </Centered>
    )
  }
  return (
    <Centered>
      <form onSubmit={submit}>
        <Stack>
          <Title order={1} size="h3">
            {t('session:signIn.title')}
          </Title>
          {reason !== null && error === null && (
            <Notice color="yellow" title={t('session:signIn.ended')}>
              {reason}
            </Notice>
          )}
          {failure !== null && (
            <Notice color="red" title={t('session:failed.title')}>
              {t(`session:failed.${failure}`)}
            </Notice>
          )}
          {oidcHost !== '' && (
            <>
              <Button component="a" href={OIDC_PATH}>
                {t('session:signIn.with', { host: oidcHost })}
              </Button>
              <Divider label={t('session:signIn.or')} />
            </>
          )}
          <PasswordInput
            ref={field}
            label={t('session:signIn.apiKey')}
            description={t('session:signIn.apiKeyHint')}
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
            {t('session:signIn.title')}
          </Button>
          <Text size="sm" c="dimmed">
            <Trans ns="session" i18nKey="signIn.help" components={{ code: <Code /> }} />
          </Text>
        </Stack>
      </form>
    </Centered>
  )
}
