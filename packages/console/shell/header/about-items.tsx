import { Menu } from '@mantine/core'
import { IconApi, IconBook, IconBraces, IconFileText } from '@tabler/icons-react'
import { hasDocs, hasGraphiql } from '../../page-settings.ts'

/** The entries of the account menu about Posthorn itself. */
export function AboutItems() {
  return (
    <>
      <Menu.Label>{`Posthorn ${__VERSION__}`}</Menu.Label>
      {hasDocs && (
        <Menu.Item leftSection={<IconBook size={16} />} component="a" href="/docs/" target="_blank">
          Documentation
        </Menu.Item>
      )}
      {hasGraphiql && (
        <Menu.Item
          leftSection={<IconApi size={16} />}
          component="a"
          href="/graphql"
          target="_blank"
        >
          GraphiQL
        </Menu.Item>
      )}
      <Menu.Item
        leftSection={<IconFileText size={16} />}
        component="a"
        href="/schema.graphql"
        target="_blank"
      >
        GraphQL schema
      </Menu.Item>
      <Menu.Item
        leftSection={<IconBraces size={16} />}
        component="a"
        href="/openapi.json"
        target="_blank"
      >
        REST API description
      </Menu.Item>
    </>
  )
}

/** Set at build from package.json. */
declare const __VERSION__: string
