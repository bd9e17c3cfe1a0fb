import type { PosthornError } from '../client/posthorn-error.ts'
import { elementsOf, type Look, partsOf } from './look.ts'
import type { CommonTexts } from './texts.ts'

export type NoticePart = 'loading' | 'error' | 'retry' | 'empty'

/** The attribute `data-state` of a component. Content that was read before stays beside an error. */
export type ViewState = 'loading' | 'failed' | 'forbidden' | 'signed-out' | 'empty' | 'ready'

export function viewStateOf(
  error: PosthornError | null,
  items: readonly unknown[] | null,
): ViewState {
  if (error?.code === 'UNAUTHENTICATED' || error?.code === 'NO_TOKEN') return 'signed-out'
  if (error?.code === 'FORBIDDEN') return 'forbidden'
  if (items === null) return error === null ? 'loading' : 'failed'
  return items.length === 0 ? 'empty' : 'ready'
}

export function Loading({ look, texts }: NoticeProps) {
  return (
    <p role="status" {...partsOf(look.classNames)('loading')}>
      {texts.loading}
    </p>
  )
}

/** An error, with a button to try again unless a scope is missing. */
export function ErrorNotice({
  look,
  texts,
  error,
  onRetry,
}: NoticeProps & { readonly error: PosthornError; onRetry?(): void }) {
  const part = partsOf(look.classNames)
  const { Button } = elementsOf(look.elements)
  return (
    <div role="alert" data-code={error.code} {...part('error')}>
      <p>{texts.error(error)}</p>
      {onRetry && error.code !== 'FORBIDDEN' && (
        <Button type="button" onClick={onRetry} {...part('retry')}>
          {texts.retry}
        </Button>
      )}
    </div>
  )
}

interface NoticeProps {
  readonly look: Look<NoticePart, CommonTexts>
  readonly texts: CommonTexts
}
