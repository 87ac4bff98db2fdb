import { RestResponse, type PluginContext, type RestRequest, type RestServer } from '../../../public.ts'
import type { SeoHeads } from '../heads.ts'
import { yoastHtml, yoastJson } from './presenters.ts'

/** Registers the route with which front ends request the head of a URL. */
export function registerYoastRoutes(_plugin: PluginContext, server: RestServer, heads: SeoHeads): void {
  server.registerRoute('yoast/v1', '/get_head', {
    methods: 'GET',
    cache: true,
    permission_callback: () => true,
    args: { url: { description: 'URL of a page of the site.', type: 'string', required: true, minLength: 1 } },
    callback: (request) => getHead(heads, request),
  })
}

async function getHead(heads: SeoHeads, request: RestRequest): Promise<RestResponse> {
  const { scope } = request
  const found = await heads.resolver.at(String(request.get('url')), scope)
  const isMissing = found === null || found.kind === 'missing' || found.kind === 'other'
  const page = isMissing ? ({ kind: 'missing', url: null, page: 1, pages: 1, isFront: false, scope } as const) : found
  const head = await heads.of(page)
  const status = isMissing ? 404 : 200
  return new RestResponse({ html: yoastHtml(head), json: yoastJson(head), status }, status)
}
