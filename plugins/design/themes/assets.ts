import type { PluginContext } from '../../../kernel/index.ts'
import { FileServer } from '../../content/media/index.ts'
import type { ThemeLibrary } from './library.ts'

/** Files that pages load: styles, images, videos and fonts. Templates are only available through the REST API. */
const SERVED = /^[a-z0-9][a-z0-9_-]*\/.*\.(?:css|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|mp4|webm)$/i

/** Serves the theme files that pages load. */
export function serveThemeFiles({ hooks, branding }: PluginContext, library: ThemeLibrary, maxAge: number): void {
  const noPendingWrites = { pending: async () => [] }
  hooks.site_request.tapPromise('themes', async (page, request) => {
    const base = `${branding.themesPath}/`
    if (page !== null || !request.path.startsWith(base)) return page
    const file = request.path.slice(base.length)
    if (!SERVED.test(file)) return null
    const [theme = '', ...rest] = file.split('/')
    for (const folder of library.folders(theme)) {
      const found = await new FileServer(folder, maxAge, noPendingWrites).respond(rest.join('/'), request)
      if (found !== null) return found
    }
    return null
  })
}
