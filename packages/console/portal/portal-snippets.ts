import {
  type ApiTarget,
  curlRequest,
  fetchRequest,
  type Snippet,
} from '../components/snippets/graphql-request.ts'
import type { CreatePortalSessionInput } from '../generated/graphql.ts'

/** Code that creates a portal session with this input, and the page that shows it. */
export function portalSnippets(
  target: ApiTarget,
  input: CreatePortalSessionInput,
): readonly Snippet[] {
  return [
    { language: 'curl', code: curlRequest(target, MUTATION, { input }) },
    { language: 'TypeScript', code: typescript(target, input) },
    { language: 'HTML', code: html(target) },
  ]
}

const MUTATION = `mutation ($input: CreatePortalSessionInput!) {
  createPortalSession(input: $input) {
    ... on CreatePortalSessionSuccess { portalSession { id url expiresAt } }
    ... on UserError { code message }
  }
}`

function typescript(target: ApiTarget, input: CreatePortalSessionInput): string {
  const request = fetchRequest(target, 'CREATE_PORTAL_SESSION', { input })
  return `const CREATE_PORTAL_SESSION = \`${MUTATION}\`

/** The URL of a new portal session. Call this for a signed-in user, once for each visit. */
export async function createPortalUrl(): Promise<string> {
  const response = ${request.replaceAll('\n', '\n  ')}
  const { data, errors } = await response.json()
  const { portalSession, message } = data?.createPortalSession ?? errors[0]
  if (!portalSession) throw new Error(message)
  return portalSession.url
}`
}

function html({ origin }: ApiTarget): string {
  return `<script type="module" src="${origin}/portal/element.js"></script>

<!-- Your server writes the URL of a new session here. -->
<posthorn-portal src="{{ portalSession.url }}"></posthorn-portal>

<script type="module">
  // Called before the session ends. This route of your server answers with the URL of a new session.
  document.querySelector('posthorn-portal').renew = async () => {
    const response = await fetch('/webhooks/portal-session', { method: 'POST' })
    return (await response.json()).url
  }
</script>`
}
