import { forbidden, type PluginContext, type RestRequest } from '../../../../kernel/index.ts'
import { StreamedResponse, type ResponseStream } from '../../../library/long-work/index.ts'
import { errors } from '../errors.ts'
import type { Templates } from '../service.ts'
import { themeArchive } from './archive.ts'

/** Bytes per write, and maximum unsent bytes before the writer waits. */
const PIECE_BYTES = 65_536
const MAX_UNSENT_BYTES = 262_144

/** Adds the export route and its link in theme responses. */
export function addThemeExport(plugin: PluginContext, templates: Templates): void {
  const { branding, hooks, services, since, urls } = plugin
  const namespace = branding.namespace('v1', 'block-editor')
  const may = ({ user }: Pick<RestRequest, 'user'>) => services.capabilities.can(user, 'edit_theme_options')
  hooks.rest_api_init.tap('theme export', (server) =>
    server.registerRoute(namespace, 'export', {
      methods: 'GET',
      cache: false,
      permission_callback: (request) => may(request) || forbidden(request, errors.rest_cannot_export_templates),
      callback: async (request) => {
        // Only top-level responses can be binary.
        if (!request.streams) throw errors.rest_cannot_export_here()
        const { stylesheet } = await services.themes.active()
        const archive = await themeArchive(plugin, templates, stylesheet)
        return new StreamedResponse((stream) => writeAll(archive, stream), {
          'Content-Type': 'application/zip',
          'Content-Disposition': `attachment; filename=${stylesheet.replace(/[^\w-]/g, '')}.zip`,
        })
      },
    }),
  )
  if (!since('6.7')) return
  hooks.rest_prepare.for('theme').tap('theme export', (response, theme, request) => {
    const { isBlockTheme, status } = theme as { isBlockTheme: boolean; status: string }
    if (status !== 'active' || !isBlockTheme || !request.wants('_links')) return response
    const targetHints = { allow: may(request) ? ['GET'] : [] }
    response.addLink(branding.relation('export-theme'), urls.rest(`/${namespace}/export`), { targetHints })
    return response
  })
}

/** Writes data at the pace of the client. */
function writeAll(data: Buffer, stream: ResponseStream): void {
  let at = 0
  const writeNext = () => {
    while (at < data.length && stream.waiting < MAX_UNSENT_BYTES) stream.write(data.subarray(at, (at += PIECE_BYTES)))
    if (at < data.length) stream.onDrain(writeNext)
    else stream.end()
  }
  writeNext()
}
