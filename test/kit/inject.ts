import { HeaderMap, parseQuery, RestRequest, type RestServer } from '../../kernel/index.ts'

/** Options of a request without a connection. */
export interface InjectOptions {
  /** GET by default. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Parameters of a JSON body. */
  readonly body?: unknown
}

/** Dispatches a request to the REST API without a connection. @param path route with an optional query */
export async function dispatch(
  server: RestServer,
  path: string,
  { method = 'GET', headers = {}, body }: InjectOptions = {},
): Promise<Response> {
  const at = path.indexOf('?')
  const route = at === -1 ? path : path.slice(0, at)
  const request = new RestRequest(method, route, {
    headers: new HeaderMap(headers),
    query: parseQuery(at === -1 ? '' : path.slice(at + 1)),
    url: server.urls.basePath + `/${server.branding.prefix}${path}`,
    ip: '127.0.0.1',
    json: body,
  })
  const { response, text } = await server.serve(request)
  const sent = new Headers()
  for (const [name, value] of response.headers) {
    for (const one of [value].flat()) sent.append(name, String(one))
  }
  const bytes = text === null || typeof text === 'string' ? text : Buffer.concat(text)
  return new Response(bytes, { status: response.status, headers: sent })
}
