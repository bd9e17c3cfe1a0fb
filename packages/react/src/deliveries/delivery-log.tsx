import type { ReactNode } from 'react'
import { elementsOf, type Look, partsOf } from '../components/look.ts'
import { ErrorNotice, Loading, type NoticePart, viewStateOf } from '../components/notice.tsx'
import { COMMON_TEXTS } from '../components/texts.ts'
import { DELIVERY_LOG_TEXTS, type DeliveryLogTexts } from './delivery-log-texts.ts'
import type { Attempt } from './use-deliveries.ts'
import { type DeliveryLogOptions, useDeliveryLog } from './use-delivery-log.ts'
import { useRedeliver } from './use-redeliver.ts'

export type DeliveryLogPart =
  | NoticePart
  | 'connection'
  | 'table'
  | 'row'
  | 'time'
  | 'event-type'
  | 'outcome'
  | 'actions'
  | 'redeliver'

export interface DeliveryLogProps
  extends DeliveryLogOptions,
    Look<DeliveryLogPart, DeliveryLogTexts> {
  /** Your element for the event type of an attempt, such as a link to your page of the delivery. Default: text. */
  renderEventType?(attempt: Attempt): ReactNode
  /** Your buttons for an attempt, after those of the log. */
  renderActions?(attempt: Attempt): ReactNode
  /** Shown when there are no attempts. Default: a sentence. */
  readonly empty?: ReactNode
}

/**
 * The newest attempts, live, in a table. Screen readers are told when the connection is lost or back; they are not told of
 * each attempt, because hundreds may arrive each second.
 */
export function DeliveryLog(props: DeliveryLogProps) {
  const { className, classNames, webhookId, outcome, limit, renderActions } = props
  const texts = { ...COMMON_TEXTS, ...DELIVERY_LOG_TEXTS, ...props.texts }
  const { attempts, connection, error, scopes, reload } = useDeliveryLog({
    webhookId,
    outcome,
    limit,
  })
  const redeliver = useRedeliver()
  const part = partsOf(classNames)
  const { Button, Table } = elementsOf(props.elements)
  // An interruption ends by itself.
  const lasting = connection === 'ended' ? error : null
  const state = viewStateOf(lasting, attempts)
  const canRedeliver = scopes.includes('deliveries:write')
  const hasActions = canRedeliver || renderActions !== undefined

  return (
    <section
      data-posthorn="delivery-log"
      data-state={state}
      data-connection={connection}
      aria-label={texts.label}
      className={className}
    >
      <p role="status" {...part('connection')}>
        {texts.connections[connection]}
      </p>
      {state === 'loading' && <Loading look={props} texts={texts} />}
      {lasting && <ErrorNotice look={props} texts={texts} error={lasting} onRetry={reload} />}
      {redeliver.error && <ErrorNotice look={props} texts={texts} error={redeliver.error} />}
      {state === 'empty' && (props.empty ?? <p {...part('empty')}>{texts.empty}</p>)}
      {attempts !== null && attempts.length > 0 && (
        <Table {...part('table')}>
          <caption>{texts.label}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.recordedAt}</th>
              <th scope="col">{texts.eventType}</th>
              <th scope="col">{texts.attempt}</th>
              <th scope="col">{texts.outcome}</th>
              <th scope="col">{texts.duration}</th>
              {hasActions && <th scope="col">{texts.actions}</th>}
            </tr>
          </thead>
          <tbody>
            {attempts.map((attempt) => (
              <AttemptRow key={attempt.id} attempt={attempt} log={props}>
                {hasActions && (
                  <td {...part('actions')}>
                    {canRedeliver && attempt.delivery && (
                      <Button
                        type="button"
                        disabled={redeliver.isRunning}
                        aria-label={texts.redeliverOf(attempt)}
                        onClick={() => attempt.delivery && void redeliver.run(attempt.delivery.id)}
                        {...part('redeliver')}
                      >
                        {texts.redeliver}
                      </Button>
                    )}
                    {renderActions?.(attempt)}
                  </td>
                )}
              </AttemptRow>
            ))}
          </tbody>
        </Table>
      )}
    </section>
  )
}

interface AttemptRowProps {
  readonly attempt: Attempt
  readonly log: DeliveryLogProps
  readonly children: ReactNode
}

function AttemptRow({ attempt, log, children }: AttemptRowProps) {
  const texts = { ...COMMON_TEXTS, ...DELIVERY_LOG_TEXTS, ...log.texts }
  const part = partsOf(log.classNames)
  const { id, recordedAt, number, succeeded, durationMs, delivery } = attempt
  return (
    <tr data-id={id} data-outcome={succeeded ? 'succeeded' : 'failed'} {...part('row')}>
      <td {...part('time')}>
        <time dateTime={recordedAt}>{texts.time(recordedAt)}</time>
      </td>
      <td {...part('event-type')}>
        {log.renderEventType?.(attempt) ?? delivery?.eventType.name ?? texts.deleted}
        {delivery?.isTest && ` ${texts.test}`}
      </td>
      <td>{number.toLocaleString()}</td>
      <td {...part('outcome')}>{succeeded ? texts.succeeded(attempt) : texts.failed(attempt)}</td>
      <td>{texts.milliseconds(durationMs)}</td>
      {children}
    </tr>
  )
}
