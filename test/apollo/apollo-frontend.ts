import { readFileSync } from 'node:fs'
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client'
import { buildSchema, isAbstractType, OperationTypeNode } from 'graphql'
import { Observable } from 'rxjs'
import {
  CreateWebhookDocument,
  DeliveryFinishedDocument,
  PublishEventDocument,
  WebhooksDocument,
} from '../graphql/generated/graphql.ts'
import { type Frontend, subscribeWithSse, type Target } from '../graphql/support/frontend.ts'

/** Apollo drops fragments on an interface unless it knows the implementing types. */
const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'))
const possibleTypes = Object.fromEntries(
  Object.values(schema.getTypeMap())
    .filter((type) => isAbstractType(type))
    .map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
)

export function apolloFrontend(target: Target): Frontend {
  const { url, headers } = target
  const connect = (sent: Record<string, string>) =>
    new ApolloClient({
      link: ApolloLink.split(
        ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
        new ApolloLink(
          () => new Observable((sink) => subscribeWithSse(target, (result) => sink.next(result))),
        ),
        new HttpLink({ uri: url, headers: sent }),
      ),
      cache: new InMemoryCache({ possibleTypes }),
    })
  const client = connect(headers)
  return {
    list: async () =>
      (
        await client.query({
          query: WebhooksDocument,
          variables: { first: 50 },
          fetchPolicy: 'network-only',
        })
      ).data,
    create: async (variables) =>
      (await client.mutate({ mutation: CreateWebhookDocument, variables })).data,
    publish: async (variables) =>
      (await client.mutate({ mutation: PublishEventDocument, variables })).data,
    watch(next) {
      const subscription = client
        .subscribe({ query: DeliveryFinishedDocument })
        .subscribe(({ data }) => next(data))
      return () => subscription.unsubscribe()
    },
    listWithoutKey: () => connect({}).query({ query: WebhooksDocument, variables: {} }),
  }
}
