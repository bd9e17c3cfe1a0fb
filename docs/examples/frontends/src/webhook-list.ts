import { graphql } from 'react-relay'

export const row = graphql`
  fragment webhookList_row on Webhook @throwOnFieldError {
    id
    url
    createdAt
    health(window: DAY) { state lastError }
  }
`

export const list = graphql`
  fragment webhookList_list on Query
  @throwOnFieldError
  @refetchable(queryName: "webhookListNextPageQuery")
  @argumentDefinitions(first: { type: "Int", defaultValue: 20 }, after: { type: "String" }) {
    webhooks(first: $first, after: $after) @connection(key: "webhookList_webhooks") {
      edges { node { ...webhookList_row } }
    }
  }
`

export const query = graphql`
  query webhookListQuery {
    ...webhookList_list
  }
`

export const changeUrl = graphql`
  mutation webhookListChangeUrlMutation($id: ID!, $input: UpdateWebhookInput!) {
    updateWebhook(id: $id, input: $input) {
      ... on UpdateWebhookSuccess { webhook { ...webhookList_row } }
      ... on UserError { code message }
      ... on ValidationError { issues { path message } }
    }
  }
`
