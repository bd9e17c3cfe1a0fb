/** Calls a Lambda function as the services of AWS do. The path of a request names the service. */
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { handler } from './lambda.ts'

const joined = (request) =>
  Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, values]) => [name, values.join(',')]),
  )

const EVENTS = {
  '/rest': (request, body) => ({
    httpMethod: request.method,
    path: request.url,
    headers: Object.fromEntries(
      Object.entries(request.headersDistinct).map(([name, values]) => [name, values.at(-1)]),
    ),
    multiValueHeaders: request.headersDistinct,
    body: body.toString(),
    isBase64Encoded: false,
  }),
  '/http': (request, body) => ({
    version: '2.0',
    rawPath: request.url,
    headers: joined(request),
    body: body.toString('base64'),
    isBase64Encoded: true,
  }),
  '/function-url': (request, body) => ({
    version: '2.0',
    rawPath: request.url,
    headers: joined(request),
    body: body.toString(),
    isBase64Encoded: false,
  }),
  '/alb': (request, body) => ({
    requestContext: { elb: {} },
    headers: joined(request),
    body: body.toString('base64'),
    isBase64Encoded: true,
  }),
  '/alb-multi': (request, body) => ({
    requestContext: { elb: {} },
    multiValueHeaders: request.headersDistinct,
    body: body.toString(),
    isBase64Encoded: false,
  }),
}

createServer(async (request, response) => {
  const describe = EVENTS[request.url]
  if (!describe) return response.writeHead(404).end()
  try {
    const result = await handler(describe(request, await buffer(request)))
    const headers = request.url === '/alb-multi' ? result.multiValueHeaders : result.headers
    response.writeHead(result.statusCode, headers).end(result.body)
  } catch (error) {
    console.error(error)
    response.writeHead(502).end()
  }
}).listen(3000)
