import { Alert } from '@mantine/core'

/** On a page that a link may lead to, but that the viewer can do nothing with. */
export function NotAllowed({ scope }: { scope: string }) {
  return (
    <Alert color="gray" variant="light" title="You may not do this">
      It needs the scope {scope}. Ask the person who gave you access.
    </Alert>
  )
}
