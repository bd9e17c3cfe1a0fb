import { Alert } from '@mantine/core'

/** For a viewer who followed a link to a page that their scopes do not allow. */
export function NotAllowed({ scope }: { scope: string }) {
  return (
    <Alert color="gray" variant="light" title="Access denied">
      {`This page requires the scope ${scope}. Ask the person who gave you access.`}
    </Alert>
  )
}
