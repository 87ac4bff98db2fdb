import { escapeHtml, HeaderMap, type PluginContext } from '../../public.ts'

/** Size of a flag in pixels. */
const FLAG_WIDTH_PX = 16
const FLAG_HEIGHT_PX = 11
const FLAG_CODE = /^[a-z]{2}$/

/** Returns the path of the images of flags below the home URL, which front ends have stored. */
function folderOf({ branding }: PluginContext): string {
  return branding.themesPath.replace(/themes$/, 'plugins/polylang/flags/')
}

/** Returns the URL of a flag; '' without one. */
export function flagUrl(plugin: PluginContext, code: string): string {
  return code === '' ? '' : plugin.urls.site(`${folderOf(plugin)}${encodeURIComponent(code)}.png`)
}

/** Returns an image element with a flag; '' without one. */
export function flagHtml(code: string, name: string): string {
  if (code === '') return ''
  const source = `data:image/svg+xml;base64,${Buffer.from(flagImage(code)).toString('base64')}`
  const style = `width: ${FLAG_WIDTH_PX}px; height: ${FLAG_HEIGHT_PX}px;`
  return `<img src="${source}" alt="${escapeHtml(name)}" width="${FLAG_WIDTH_PX}" height="${FLAG_HEIGHT_PX}" style="${style}" />`
}

/** Serves the images of flags at the path that they had on imported sites. */
export function serveFlags(plugin: PluginContext): void {
  const folder = folderOf(plugin)
  plugin.hooks.site_request.tap({ name: 'languages', stage: 40, methods: ['GET'] }, (page, { path }) => {
    if (page !== null || !path.startsWith(folder)) return page
    const code = /^([a-z]{2})\.png$/.exec(path.slice(folder.length))?.[1]
    if (code === undefined) return page
    const headers = new HeaderMap({
      'Content-Type': 'image/svg+xml',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'",
      'Cache-Control': 'public, max-age=604800',
    })
    return { status: 200, headers, body: flagImage(code) }
  })
}

/**
 * Draws a flag as SVG with the emoji of its region: two letters that fonts with flags show as one. Fonts without flags
 * show the letters.
 */
function flagImage(code: string): string {
  const letters = FLAG_CODE.test(code)
    ? String.fromCodePoint(...Array.from(code, (letter) => 0x1f1e6 + letter.charCodeAt(0) - 97))
    : ''
  const text = `<text x="8" y="10" font-size="12" text-anchor="middle">${letters}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${FLAG_WIDTH_PX}" height="${FLAG_HEIGHT_PX}" viewBox="0 0 16 11">${text}</svg>`
}
