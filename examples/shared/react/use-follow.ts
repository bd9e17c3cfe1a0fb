import { useEffect, useEffectEvent, useState } from 'react'
import { type FollowOptions, follow, type StreamState } from '../follow.ts'

/** Follows a subscription while the component is shown. */
export function useFollow(options: Omit<FollowOptions, 'show'>): StreamState {
  const [state, show] = useState<StreamState>('connecting')
  const subscribe = useEffectEvent(options.subscribe)
  const reload = useEffectEvent(options.reload)
  const after = useEffectEvent(() => options.after)
  const { session } = options
  useEffect(
    () =>
      follow({
        session,
        after: after(),
        subscribe: (last, sink) => subscribe(last, sink),
        reload: () => reload(),
        show,
      }),
    [session],
  )
  return state
}
