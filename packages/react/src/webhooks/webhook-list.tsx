import type { ReactNode } from 'react'
import { elementsOf, type Look, partsOf } from '../components/look.ts'
import { ErrorNotice, Loading, type NoticePart, viewStateOf } from '../components/notice.tsx'
import { COMMON_TEXTS } from '../components/texts.ts'
import { useWebhooks, type Webhook, type WebhooksOptions } from './use-webhooks.ts'
import { useResumeWebhook } from './webhook-actions.ts'
import { WEBHOOK_LIST_TEXTS, type WebhookListTexts } from './webhook-list-texts.ts'

export type WebhookListPart =
  | NoticePart
  | 'table'
  | 'row'
  | 'url'
  | 'description'
  | 'state'
  | 'last-failure'
  | 'actions'
  | 'resume'
  | 'pages'
  | 'previous'
  | 'next'

export interface WebhookListProps extends WebhooksOptions, Look<WebhookListPart, WebhookListTexts> {
  /** Your element for the URL of a webhook, such as a link to your page of the webhook. Default: the URL as text. */
  renderUrl?(webhook: Webhook): ReactNode
  /** Your buttons for a webhook, after those of the list. */
  renderActions?(webhook: Webhook): ReactNode
  /** Shown when there are no webhooks. Default: a sentence. */
  readonly empty?: ReactNode
}

/** The webhooks with their health, in a table. */
export function WebhookList(props: WebhookListProps) {
  const { filter, pageSize, className, classNames, renderActions } = props
  const texts = { ...COMMON_TEXTS, ...WEBHOOK_LIST_TEXTS, ...props.texts }
  const list = useWebhooks({ ...(filter && { filter }), ...(pageSize && { pageSize }) })
  const { items, error, reload } = list
  const resume = useResumeWebhook()
  const part = partsOf(classNames)
  const { Button, Table } = elementsOf(props.elements)
  const state = viewStateOf(error, items)
  const canResume = list.scopes.includes('deliveries:write')
  const hasActions = canResume || renderActions !== undefined

  return (
    <section
      data-posthorn="webhook-list"
      data-state={state}
      aria-busy={list.isLoading}
      aria-label={texts.label}
      className={className}
    >
      {state === 'loading' && <Loading look={props} texts={texts} />}
      {error && <ErrorNotice look={props} texts={texts} error={error} onRetry={reload} />}
      {resume.error && <ErrorNotice look={props} texts={texts} error={resume.error} />}
      {state === 'empty' && (props.empty ?? <p {...part('empty')}>{texts.empty}</p>)}
      {items !== null && items.length > 0 && (
        <Table {...part('table')}>
          <caption>{texts.label}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.url}</th>
              <th scope="col">{texts.state}</th>
              <th scope="col">{texts.successRate}</th>
              <th scope="col">{texts.waiting}</th>
              <th scope="col">{texts.lastFailure}</th>
              {hasActions && <th scope="col">{texts.actions}</th>}
            </tr>
          </thead>
          <tbody>
            {items.map((webhook) => (
              <WebhookRow key={webhook.id} webhook={webhook} list={props}>
                {hasActions && (
                  <td {...part('actions')}>
                    {canResume && webhook.health?.state === 'ON_HOLD' && (
                      <Button
                        type="button"
                        disabled={resume.isRunning}
                        aria-label={`${texts.resume}: ${webhook.url}`}
                        onClick={() => void resume.run(webhook.id)}
                        {...part('resume')}
                      >
                        {texts.resume}
                      </Button>
                    )}
                    {renderActions?.(webhook)}
                  </td>
                )}
              </WebhookRow>
            ))}
          </tbody>
        </Table>
      )}
      {(list.hasNext || list.hasPrevious) && (
        <nav aria-label={texts.pages} {...part('pages')}>
          <Button
            type="button"
            disabled={!list.hasPrevious}
            onClick={list.previous}
            {...part('previous')}
          >
            {texts.previous}
          </Button>
          <Button type="button" disabled={!list.hasNext} onClick={list.next} {...part('next')}>
            {texts.next}
          </Button>
        </nav>
      )}
    </section>
  )
}

interface WebhookRowProps {
  readonly webhook: Webhook
  readonly list: WebhookListProps
  readonly children: ReactNode
}

function WebhookRow({ webhook, list, children }: WebhookRowProps) {
  const texts = { ...COMMON_TEXTS, ...WEBHOOK_LIST_TEXTS, ...list.texts }
  const part = partsOf(list.classNames)
  const { url, description, health, lastFailure, backlog } = webhook
  // Without `deliveries:read` there is no health, but the switch is known.
  const state = health?.state ?? (webhook.enabled ? null : 'DISABLED')
  return (
    <tr data-id={webhook.id} data-webhook-state={state ?? undefined} {...part('row')}>
      <th scope="row">
        <span {...part('url')}>{list.renderUrl?.(webhook) ?? url}</span>
        {description && <p {...part('description')}>{description}</p>}
      </th>
      <td {...part('state')}>{state === null ? texts.unknown : texts.states[state]}</td>
      <td>{health?.successRate == null ? texts.none : texts.percent(health.successRate)}</td>
      <td>{backlog ? texts.count(backlog.count) : texts.none}</td>
      <td {...part('last-failure')}>
        {lastFailure ? (
          <>
            {texts.failure(lastFailure)}{' '}
            <time dateTime={lastFailure.recordedAt}>{texts.time(lastFailure.recordedAt)}</time>
          </>
        ) : (
          texts.none
        )}
      </td>
      {children}
    </tr>
  )
}
