import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EXISTING_WORD } from '../../library/branding/index.ts'
import { addQuery, HeaderMap, RequestCache, type PluginContext, type SitePage } from '../../../kernel/index.ts'
import type { Words } from '../../foundation/translations/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { refreshLock, takeLock, writtenLock, type Lock } from '../../content/editor-ajax/index.ts'
import type { ContentType } from '../../content/content-types/index.ts'
import type { Post } from '../../content/posts/index.ts'
import type { PreloadEntry } from '../../responses/preload.ts'
import type { Bundle } from './bundle.ts'
import type { Manifest } from './manifest.ts'
import { postPaths, sitePaths, type ThemeFacts } from './preload-paths.ts'
import { dateSettings, editorSettings } from './settings.ts'
import type { EditorRequest, EditorUrls } from './urls.ts'

/** Start of the action of a nonce, followed by the post ID. With the nonce a user takes over the lock of the post. */
const TAKEOVER_NONCE_PREFIX = 'lock-post_'

/** Hash of the only script in the iframe with the content; it reports to the editor that the iframe has loaded. */
const CANVAS_SCRIPT = 'sha256-ehBD9wGNfnN0flaZIjbVClW1//FJFsATigcdVB4VdMQ='

/** Isolates a document and its workers from other sites: browsers provide shared memory only to isolated documents. */
const ISOLATION_HEADER = ['Document-Isolation-Policy', 'isolate-and-credentialless'] as const

/**
 * Policy of the worker that resizes images: it compiles WebAssembly, creates functions from strings, and starts more
 * workers.
 */
const WORKER_POLICY = "default-src 'none'; script-src 'unsafe-eval'; connect-src data: blob:; worker-src 'self'"

/** Cache lifetime of a file in seconds: its name changes with its content. */
const YEAR_SECONDS = 31_536_000

/**
 * Responds to GET and HEAD requests for a page of the block editor or a file of its bundle. Files are public; pages
 * redirect visitors to the login page.
 * @returns null for other methods and unknown files, and if no valid bundle is installed
 */
export async function respond(
  plugin: PluginContext,
  places: EditorUrls,
  bundle: Bundle,
  request: SiteRequest,
  editorRequest: EditorRequest,
): Promise<SitePage | null> {
  const { manifest } = bundle
  if (manifest === null || (request.method !== 'GET' && request.method !== 'HEAD')) return null
  if (editorRequest.kind === 'file') return fileOf(bundle, manifest, editorRequest.name, request)
  const { plainPages: pages } = plugin.services
  if (request.user.session === undefined) return pages.toLogin(request)
  const scope = new RequestCache()
  const words = await plugin.services.translations.ofUser(request.user.id, scope)
  const editor = new EditorPages(plugin, places, manifest, { request, scope, words })
  switch (editorRequest.kind) {
    case 'list':
      return pages.redirect(plugin.urls.site(plugin.branding.adminPath))
    case 'site':
      return editor.site()
    case 'new':
      return editor.create(editorRequest.type)
    case 'post':
      return editor.post(editorRequest.id)
  }
}

async function fileOf(
  bundle: Bundle,
  manifest: Manifest,
  name: string,
  { headers }: SiteRequest,
): Promise<SitePage | null> {
  if (!Object.hasOwn(manifest.files, name)) return null
  const file = manifest.files[name]!
  const tag = `"${name}"`
  const answer = new HeaderMap({
    'Content-Type': file.type,
    'Cache-Control': `public, max-age=${YEAR_SECONDS}, immutable`,
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    Vary: 'Accept-Encoding',
    ETag: tag,
  })
  if (name === manifest.resizing) {
    answer.set(...ISOLATION_HEADER)
    answer.set('Content-Security-Policy', WORKER_POLICY)
  }
  if (headers.get('if-none-match')?.includes(tag) === true) return { status: 304, headers: answer, body: null }
  const acceptsBrotli = /(?:^|[\s,])br(?:$|[\s,])/.test(headers.get('accept-encoding') ?? '')
  if (acceptsBrotli) answer.set('Content-Encoding', 'br')
  const body = await readFile(join(bundle.folder, manifest.folder, acceptsBrotli ? `${name}.br` : name))
  return { status: 200, headers: answer, body }
}

/** A request with its cache, and the texts in the language of the user. */
interface UserRequest {
  readonly request: SiteRequest
  readonly scope: RequestCache
  readonly words: Words
}

/** Renders the pages of one request. */
class EditorPages {
  readonly #plugin: PluginContext
  readonly #places: EditorUrls
  readonly #manifest: Manifest
  readonly #request: SiteRequest
  readonly #scope: RequestCache
  readonly #words: Words

  constructor(plugin: PluginContext, places: EditorUrls, manifest: Manifest, { request, scope, words }: UserRequest) {
    this.#plugin = plugin
    this.#places = places
    this.#manifest = manifest
    this.#request = request
    this.#scope = scope
    this.#words = words
  }

  /** Renders the page that edits a post. */
  async post(id: number): Promise<SitePage> {
    const { posts } = this.#plugin.services
    const { user } = this.#request
    const words = this.#words
    const post = await posts.get(id, this.#scope)
    const type = this.#editedType(post?.type)
    if (post === undefined || type === undefined)
      return this.#refuse(words.t('The post doesn’t exist, or the block editor doesn’t support its type.'), 404)
    if (!(await posts.isReadableForEditing(post, user, this.#scope)))
      return this.#refuse(words.t('You don’t have permission to edit this post.'), 403)
    const theme = await this.#theme()
    const settings = { ...(await this.#settings()), ...(await this.#lockSettings(post)) }
    const isNew = post.status === 'auto-draft'
    const label = words.t(type.labels['singular_name'] ?? type.name)
    const title = isNew
      ? words.t('Add new: {type}', { type: label })
      : `${post.title || words.t('(no title)')} – ${label}`
    const shown = { type: post.type, id: post.id, ...(isNew && { edits: { title: '', content: '', excerpt: '' } }) }
    return this.#page(title, settings, shown, postPaths(this.#plugin.branding, type, post, theme))
  }

  /** Creates a post and redirects to the page that edits it. */
  async create(name: string): Promise<SitePage> {
    const { capabilities, plainPages: pages, posts } = this.#plugin.services
    const { user } = this.#request
    const words = this.#words
    const type = this.#editedType(name)
    if (type === undefined)
      return this.#refuse(words.t('The content type doesn’t exist, or the block editor doesn’t support it.'), 404)
    if (!capabilities.can(user, type.capabilities.create_posts))
      return this.#refuse(words.t('You don’t have permission to create content of this type.'), 403)
    // A link on another site must not create posts: the user has to click a link on this page first.
    if (pages.isForeign(this.#request)) {
      const title = words.t('Add new: {type}', { type: words.t(type.labels['singular_name'] ?? type.name) })
      const link = pages.html`<p><a href="${this.#places.post(name)}">${words.t('Open in the block editor')}</a></p>`
      return pages.page(title, link, 200, { language: words.language })
    }
    const write = { user, scope: this.#scope }
    const { id } = await posts.create(
      { type: name, status: 'auto-draft', title: 'Auto Draft', author_id: user.id },
      write,
    )
    return pages.redirect(this.#places.post(name, id))
  }

  /** Renders the page that edits templates, template parts, navigation and styles. */
  async site(): Promise<SitePage> {
    const { branding, services } = this.#plugin
    if (!services.capabilities.can(this.#request.user, 'edit_theme_options')) {
      return this.#refuse(this.#words.t('You don’t have permission to edit templates and styles.'), 403)
    }
    return this.#page(
      this.#words.t('Site editor'),
      await this.#settings(),
      null,
      sitePaths(branding, await this.#theme()),
    )
  }

  /** URL of the worker that resizes images; null if it is not installed, or the server accepts no resized versions. */
  get #resizing(): string | null {
    const { has, services } = this.#plugin
    const { resizing } = this.#manifest
    return resizing !== null && has('media') && services.media.acceptsVersions ? this.#places.file(resizing) : null
  }

  #editedType(name: string | undefined): ContentType | undefined {
    const type = name === undefined ? undefined : this.#plugin.services.contentTypes.get(name)
    return type?.show_in_rest === true && 'editor' in type.supports ? type : undefined
  }

  #refuse(text: string, status: number): SitePage {
    const { plainPages: pages } = this.#plugin.services
    const words = this.#words
    return pages.page(words.t('Block editor'), pages.html`<p role="alert">${text}</p>`, status, {
      language: words.language,
    })
  }

  #settings(): Promise<Record<string, unknown>> {
    return editorSettings(this.#plugin, this.#words, this.#places.file(this.#manifest.canvas))
  }

  async #theme(): Promise<ThemeFacts> {
    const { services } = this.#plugin
    const { stylesheet } = await services.themes.active()
    const stylesId = await services.globalStyles.idOf(stylesheet)
    const mayEditStyles = services.capabilities.can(this.#request.user, 'edit_theme_options')
    return { stylesheet, stylesId, mayEditStyles }
  }

  /**
   * Locks the post for the user, unless another user has refreshed the lock in the last 150 s. With `get-post-lock` and
   * its nonce in the URL, takes the lock over. Returns the settings of the editor about the lock.
   */
  async #lockSettings({ id }: Post): Promise<Record<string, unknown>> {
    const { branding, services, urls } = this.#plugin
    const { query, user } = this.#request
    const nonce = query.get(branding.nonceParameter) ?? query.get(`_${EXISTING_WORD}nonce`) ?? ''
    const isTakeover =
      query.has('get-post-lock') && services.nonces.verify(nonce, `${TAKEOVER_NONCE_PREFIX}${id}`, user) !== false
    const lock: Lock = await (isTakeover ? takeLock(this.#plugin, id, user) : refreshLock(this.#plugin, id, user))
    const isLocked = lock.user !== user.id
    const other = isLocked ? await services.users.get(lock.user, this.#scope) : undefined
    return {
      postLock: isLocked
        ? { isLocked, user: { name: other?.name ?? this.#words.t('Another user') } }
        : { isLocked, activePostLock: writtenLock(lock) },
      postLockUtils: {
        nonce: services.nonces.create(`${TAKEOVER_NONCE_PREFIX}${id}`, user),
        unlockNonce: services.nonces.create(branding.nonceAction, user),
        ajaxUrl: urls.site(branding.ajaxPath),
      },
    }
  }

  async #page(
    title: string,
    settings: Readonly<Record<string, unknown>>,
    post: Readonly<Record<string, unknown>> | null,
    paths: readonly PreloadEntry[],
  ): Promise<SitePage> {
    const { branding, services, urls } = this.#plugin
    const { user } = this.#request
    const nonce = randomBytes(16).toString('base64')
    const ajaxUrl = urls.site(branding.ajaxPath)
    const data = {
      word: branding.word,
      root: urls.rest(),
      nonce: services.nonces.create(branding.nonceAction, user),
      nonceUrl: addQuery(ajaxUrl, { action: 'rest-nonce' }),
      ajaxUrl,
      preloaded: await services.preload(paths, user),
      settings,
      dates: await dateSettings(this.#plugin, this.#words),
      post,
      resizing: this.#resizing !== null,
    }
    const { html, stored } = {
      html: services.plainPages.html,
      stored: services.plainPages.stored.bind(services.plainPages),
    }
    const { style, script } = this.#manifest
    // The interface of the bundle is in English.
    const body = html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="robots" content="noindex" />
          <title>${stored(title)}</title>
          <link rel="icon" href="data:," />
          <link rel="stylesheet" href="${this.#places.file(style)}" />
          <script type="module" src="${this.#places.file(script)}" nonce="${nonce}"></script>
        </head>
        <body class="${branding.word}-admin block-editor-page is-fullscreen-mode">
          <div id="editor" class="block-editor__container edit-site"></div>
          <noscript
            ><p lang="${this.#words.language}">${this.#words.t('The block editor requires JavaScript.')}</p></noscript
          >
          <script type="application/json" id="editor-page">
            ${services.plainPages.json(data)}
          </script>
        </body>
      </html> `
    return { status: 200, headers: headersOf(nonce, this.#resizing), body: body.text }
  }
}

/**
 * Returns the headers of a page. Its Content-Security-Policy permits only the scripts of the bundle; the iframe in
 * which content is edited inherits it.
 * @param resizing URL of the worker that resizes images, or null
 */
function headersOf(nonce: string, resizing: string | null): HeaderMap {
  const headers = new HeaderMap({
    'Content-Type': 'text/html; charset=UTF-8',
    'Cache-Control': 'no-cache, must-revalidate, max-age=0, no-store, private',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'X-Robots-Tag': 'noindex',
    'Referrer-Policy': 'same-origin',
    'Content-Security-Policy': [
      "default-src 'none'",
      `script-src 'nonce-${nonce}' '${CANVAS_SCRIPT}'`,
      // The editor starts a worker from a blob URL to test whether it can resize images.
      ...(resizing === null ? [] : [`worker-src ${resizing} blob:`]),
      // The editor adds the styles of blocks and of the theme to its pages.
      "style-src 'self' 'unsafe-inline'",
      "connect-src 'self' blob: data:",
      'img-src http: https: data: blob:',
      'media-src http: https: data: blob:',
      "font-src 'self' data: https:",
      "frame-src 'self' blob: https:",
      // The iframe with the content uses the URL of the page as its base.
      "base-uri 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
  })
  if (resizing !== null) headers.set(...ISOLATION_HEADER)
  return headers
}
