import type { ExecutionArgs } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { EventStreams } from '../event-streams.ts'
import { execute } from './execute.ts'
import { type CurrentSchema, subscribe } from './subscribe.ts'

/** Executes the operations of the graph of events. */
export function useEventExecutor(streams: EventStreams, currentSchema: CurrentSchema): Plugin {
  return {
    onExecute({ setExecuteFn }) {
      setExecuteFn((args: ExecutionArgs) => execute(streams, args))
    },
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn((args: ExecutionArgs) => subscribe(streams, args, currentSchema))
    },
  }
}
