import { z } from '@hono/zod-openapi'

const fieldErrorSchema = z
  .object({
    pointer: z
      .string()
      .meta({ description: 'Where in the body: a JSON Pointer (RFC 6901) as a URI fragment.' })
      .optional(),
    parameter: z.string().meta({ description: 'Which query parameter.' }).optional(),
    header: z.string().meta({ description: 'Which header.' }).optional(),
    code: z.string().meta({ description: 'A stable code for programs.' }),
    detail: z.string().meta({ description: 'What is wrong and what to do, for people.' }),
  })
  .openapi('FieldError', {
    description: 'One mistake. It has one of `pointer`, `parameter` and `header`.',
  })

/** What an error answers (RFC 9457), for the document. */
export const problemSchema = z
  .object({
    type: z.string().meta({
      description: 'Names the kind of problem: `urn:posthorn:problem:` and a word for programs.',
      format: 'uri',
    }),
    title: z.string().meta({ description: 'The kind of problem in words, always the same.' }),
    status: z.int().meta({ description: 'The HTTP status.', minimum: 400, maximum: 599 }),
    detail: z.string().meta({ description: 'What happened and what to do, for people.' }),
    errors: z
      .array(fieldErrorSchema)
      .meta({ description: 'Everything wrong at once, up to 100 mistakes.', maxItems: 100 })
      .optional(),
    instance: z
      .string()
      .meta({ description: 'A reference to our log; only with status 500.', format: 'uri' })
      .optional(),
  })
  .openapi('Problem', { description: 'What went wrong (RFC 9457).' })
