import { z } from '@hono/zod-openapi'

const fieldErrorSchema = z
  .object({
    pointer: z
      .string()
      .meta({
        description: 'The place in the body: a JSON Pointer (RFC 6901) as a URI fragment.',
      })
      .optional(),
    parameter: z.string().meta({ description: 'The name of the query parameter.' }).optional(),
    header: z.string().meta({ description: 'The name of the header.' }).optional(),
    code: z.string().meta({ description: 'A stable code for programs.' }),
    detail: z.string().meta({ description: 'What is wrong and what to do, for people.' }),
  })
  .openapi('FieldError', {
    description: 'One error. It has exactly one of `pointer`, `parameter` and `header`.',
  })

/** The body of an error response (RFC 9457), for the OpenAPI document. */
export const problemSchema = z
  .object({
    type: z.string().meta({
      description:
        'The kind of problem, for programs: `urn:posthorn:problem:` followed by a stable code.',
      format: 'uri',
    }),
    title: z
      .string()
      .meta({ description: 'The kind of problem, for people; fixed for each type.' }),
    status: z.int().meta({ description: 'The HTTP status.', minimum: 400, maximum: 599 }),
    detail: z.string().meta({ description: 'What happened and what to do, for people.' }),
    errors: z
      .array(fieldErrorSchema)
      .meta({ description: 'All errors of the request, at most 100.', maxItems: 100 })
      .optional(),
    instance: z
      .string()
      .meta({
        description: "The reference in Posthorn's log; only with status 500.",
        format: 'uri',
      })
      .optional(),
  })
  .openapi('Problem', { description: 'An error response (RFC 9457).' })
