import FindMyWay from 'find-my-way'
import {
  currentOwner,
  derived,
  OwnedList,
  OwnedMap,
  type Awaitable,
  type PluginContext,
  type SitePage,
} from '../../../kernel/index.ts'
import type { Catalog } from '../../foundation/translations/index.ts'
import type { PageHtml } from '../../library/markup/index.ts'
import { doNotCache } from '../../library/caching/index.ts'
import { errors } from './errors.ts'
import type { IconName } from './frame/icon-names.ts'
import type { AdminView } from './frame/view.ts'

/** The content of an admin page. */
export interface AdminContent {
  /** Heading and title; defaults to the title of the page. */
  readonly title?: string
  /** Content below the heading. */
  readonly main: PageHtml
  readonly status?: number
  /** Buttons and links next to the heading. */
  readonly headingActions?: PageHtml
  /**
   * ID of the element that the link "Skip to content" focuses; the whole content by default. Pages with several links
   * above their form name the form, which needs `tabindex="-1"`.
   */
  readonly skipTo?: string
  /** Additional modules, as in `AdminPage`. */
  readonly scripts?: readonly string[]
  readonly styles?: readonly string[]
  /** Additional sources for the Content-Security-Policy, by directive. */
  readonly sources?: Readonly<Record<string, readonly string[]>>
}

/** The result of a page: content in the frame of the admin, or a complete response, such as a redirect or a file. */
export type AdminAnswer = AdminContent | SitePage

/**
 * Handles a request for a page of the admin. A thrown `RestError` is rendered as an error page with its status, in the
 * frame of the admin. Any other error is passed on to the server, which logs it and responds 500.
 */
export type AdminHandler = (view: AdminView) => Awaitable<AdminAnswer>

/** The handlers of a page. */
export interface PageHandlers {
  readonly show: AdminHandler
  /**
   * Handlers of forms on the page, by the value of their field `do` (`save` by default). A handler runs only with a
   * session and a valid nonce: without a session the client gets a 401 page, with an expired nonce a 403 page, and for
   * an unknown `do` a 400 page. If the handler throws rest_confirmation_required, the admin asks for the current
   * password and submits the form again; the user has to fill in a form with files again. Return a redirect after the
   * change.
   */
  readonly actions?: Readonly<Record<string, AdminHandler>>
}

/** A page of the admin, with its handlers or a function that loads them on the first request. */
export type AdminPage = PagePlace & (PageHandlers | { readonly load: () => Promise<PageHandlers> })

/** The path of a page, and the users who can open it. */
export interface PagePlace {
  /** Below the admin's URL, with named parameters: `guestbook`, `content/:type/:id`. */
  readonly path: string
  /** In English; a key of the translation catalog. */
  readonly title: string
  /**
   * Required to open the page: a capability, or a function that checks the user. Other users get a 403 page. Without
   * it, all logged-in users can open the page.
   */
  readonly capability?: string | ((view: AdminView) => Awaitable<boolean>)
  /** Menu entry of the page, for users who can open it. */
  readonly menu?: Pick<MenuEntry, 'position'> & Partial<MenuEntry>
  /** Modules and style sheets of the page: a name of `addAssets` and a file in its folder, `guestbook/list.js`. */
  readonly scripts?: readonly string[]
  readonly styles?: readonly string[]
  /** Whether forms on the page can upload files. */
  readonly uploads?: boolean
}

/** A group of the menu. */
export type MenuGroup = 'content' | 'design' | 'site' | 'tools'

/** An entry of the menu. */
export interface MenuEntry {
  /** In English; a key of the translation catalog. */
  readonly label: string
  /** Path below the admin's URL, `guestbook`, or a complete URL. */
  readonly href: string
  /** Position from 0 (the dashboard) to 100; content is at 10 to 39, appearance at 40, users at 60, settings at 70. */
  readonly position: number
  /** Group of the entry; by default the group of its position: content below 40, design below 60, site below 75. */
  readonly group?: MenuGroup
  /** Icon in front of the label; defaults to a puzzle piece. Entries below others have none. */
  readonly icon?: IconName
  /** Path of the parent entry. */
  readonly under?: string
  /** Number of pending items, shown next to the label. */
  readonly count?: number
}

/** A column of a list of the admin. */
export interface ListColumn<T = Readonly<Record<string, unknown>>> {
  readonly name: string
  /** In English. */
  readonly label: string
  /** @param item the item as the REST API returns it in the context `edit` */
  readonly cell: (item: T, view: AdminView) => PageHtml | string | number | null
  /**
   * Reads data that the cells need, for all items of the list together. If it fails, the cells show an error text.
   */
  readonly prepare?: (items: readonly T[], view: AdminView) => Awaitable<void>
  /** Value of the route's `orderby` that sorts by this column; without it, the column is not sortable. */
  readonly orderby?: string
}

/** A box on a page of the admin: the dashboard, or the form of a post, term or user. */
export interface Panel {
  readonly name: string
  /** In English. */
  readonly title: string
  readonly capability?: string
  /**
   * @param item the edited item as the REST API returns it in the context `edit`; null on the dashboard and for new
   * items
   */
  readonly show: (view: AdminView, item: Readonly<Record<string, unknown>> | null) => Awaitable<PageHtml | null>
  /**
   * Checks the fields of the panel, before the item is stored. With messages the item is not stored: the page shows
   * them, and calls `show`, which finds the submitted fields in `view.form`. The dashboard does not call it.
   * @param item the stored item; null for a new one
   * @param form all fields of the form, by name
   * @returns messages by name of the field; an empty object if the fields are valid
   */
  readonly check?: (
    view: AdminView,
    item: Readonly<Record<string, unknown>> | null,
    form: Readonly<Record<string, unknown>>,
  ) => Awaitable<Readonly<Record<string, string>>>
  /**
   * Saves the fields of the panel, after the item was stored. Throw a `RestError` to refuse them: the page shows its
   * message, and the item stays stored. On the dashboard `save` handles the panel's forms, which contain the name of
   * the panel in their field `panel`.
   * @param item the edited item; an empty object on the dashboard
   * @param form all fields of the form, by name
   */
  readonly save?: (
    view: AdminView,
    item: Readonly<Record<string, unknown>>,
    form: Readonly<Record<string, unknown>>,
  ) => Awaitable<void>
}

/** A part that a plugin has added, with the name of the plugin. */
export type PluginPart<T> = T & { readonly plugin: string }

/** A module that scripts of the admin import by name. */
export interface AdminModule {
  /** `garden/beds`; the first part is the name of the plugin. */
  readonly name: string
  /** A name of `addAssets` and a file in its folder: `garden/beds.js`. */
  readonly file: string
  /** Whether the rich editor imports the module, which then exports `register(editor)`. */
  readonly editor?: boolean
}

/** Returns menu entries for the requesting user. */
export type MenuEntries = (view: AdminView) => Awaitable<readonly MenuEntry[]>

/** A page with the parameters of its path. */
export interface OpenedPage {
  readonly page: AdminPage
  readonly params: Readonly<Record<string, string>>
}

const PATH = /^(?:[a-z0-9][a-z0-9-]*|:[a-z]+)(?:\/(?:[a-z0-9][a-z0-9-]*|:[a-z]+))*$/
const MODULE_NAME = /^[a-z0-9][a-z0-9_-]*(?:\/[a-z0-9][a-z0-9_-]*)+$/
const NAME = /^[a-z0-9][a-z0-9_-]*$/

/**
 * The registry of the admin: pages, menu, lists, panels, files and translations. The parts of a plugin are removed
 * together with the plugin.
 */
export class Admin {
  readonly #plugin: PluginContext
  readonly #pages = new OwnedMap<AdminPage>('admin page')
  readonly #assets = new OwnedMap<string>('files of the admin')
  readonly #modules = new OwnedMap<AdminModule>('module of the admin')
  readonly #columns = new OwnedList<{ list: string; column: PluginPart<ListColumn> }>('column of the admin')
  readonly #panels = new OwnedList<{ place: string; panel: PluginPart<Panel> }>('panel of the admin')
  readonly #menus = new OwnedList<{ entries: MenuEntries; plugin: string }>('menu entry of the admin')
  readonly #router = derived(this.#pages, () => routerOf([...this.#pages].map(([, page]) => page)))

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /**
   * Adds a page, or replaces the page with the same path.
   * @throws ADMIN_PAGE_INVALID for an invalid path, a path below `assets`, a missing title, or neither `show` nor
   *   `load`
   */
  addPage(page: AdminPage): void {
    const { path } = page
    if (path !== '' && !PATH.test(path)) throw errors.ADMIN_PAGE_INVALID(path, 'the path must be like "guestbook/:id"')
    const first = path.split('/', 1)[0]
    if (first === ASSETS) throw errors.ADMIN_PAGE_INVALID(path, `paths below "${ASSETS}" are reserved for files`)
    if (!isText(page.title)) throw errors.ADMIN_PAGE_INVALID(path, 'the title is missing')
    if (!isFunction('show' in page ? page.show : page.load))
      throw errors.ADMIN_PAGE_INVALID(path, 'it must have a function show or load')
    this.#pages.set(path, page, path, true)
  }

  /**
   * Adds files that pages load: scripts, styles, images. They are public.
   * @param name name of the plugin
   * @param folder path of the folder with the files
   * @throws ADMIN_ASSETS_INVALID if the name contains other characters than lowercase letters, digits and hyphens
   */
  addAssets(name: string, folder: string): void {
    if (!NAME.test(name))
      throw errors.ADMIN_ASSETS_INVALID(name, 'the name must consist of lowercase letters, digits and "-"')
    this.#assets.set(name, folder)
  }

  /**
   * Adds a module to the import map of admin pages, so that scripts import it by name. Modules can also import the
   * libraries of the admin by name, such as `@tiptap/core`.
   * @param module with `editor: true`, the rich editor imports the module and calls its function `register`
   * @throws ADMIN_PART_INVALID if the name is not like `garden/beds`, or if it lacks a file
   */
  addModule(module: AdminModule): void {
    const { name, file } = module
    if (!MODULE_NAME.test(name)) throw errors.ADMIN_PART_INVALID('module', name, 'the name must be like "garden/beds"')
    if (!isText(file)) throw errors.ADMIN_PART_INVALID('module', name, 'it must have a file')
    this.#modules.set(name, module, name)
  }

  /**
   * Adds a column to a list.
   * @param list a content type, a taxonomy, `comments`, `users` or `media`
   * @throws ADMIN_PART_INVALID if the column lacks a name, a label or a function `cell`
   */
  addColumn(list: string, column: ListColumn): void {
    const name = `${list}: ${column.name}`
    if (!isText(column.name) || !isText(column.label))
      throw errors.ADMIN_PART_INVALID('column', name, 'it must have a name and a label')
    if (!isFunction(column.cell)) throw errors.ADMIN_PART_INVALID('column', name, 'cell must be a function')
    this.#columns.add({ list, column: { ...column, plugin: currentOwner().name } }, name)
  }

  /**
   * Adds a panel to a page.
   * @param place `dashboard`, a content type, a taxonomy or `user`
   * @throws ADMIN_PART_INVALID if the panel lacks a name, a title or a function `show`
   */
  addPanel(place: string, panel: Panel): void {
    const name = `${place}: ${panel.name}`
    if (!isText(panel.name) || !isText(panel.title))
      throw errors.ADMIN_PART_INVALID('panel', name, 'it must have a name and a title')
    if (!isFunction(panel.show)) throw errors.ADMIN_PART_INVALID('panel', name, 'show must be a function')
    this.#panels.add({ place, panel: { ...panel, plugin: currentOwner().name } }, name)
  }

  /**
   * Adds menu entries that do not belong to a page of the plugin, or that depend on the user.
   * @param entries called for each page view; returns the entries for the requesting user
   * @throws ADMIN_PART_INVALID if `entries` is not a function
   */
  addMenu(entries: MenuEntries): void {
    if (!isFunction(entries)) throw errors.ADMIN_PART_INVALID('menu', currentOwner().name, 'it must be a function')
    this.#menus.add({ entries, plugin: currentOwner().name })
  }

  /**
   * Adds translations, like `services.translations.add()`.
   * @param language `de`, or with a country `pt-BR`
   * @param catalog translations by English text
   */
  addWords(language: string, catalog: Catalog): void {
    this.#plugin.services.translations.add(language, catalog)
  }

  /** Returns the URL of the page that edits a post. @param type name of its content type: `post` */
  editUrl(type: string, id: number): string {
    doNotCache('a link to the admin is for one user')
    return this.#plugin.urls.site(`${this.#plugin.branding.adminPath}content/${type}/${id}`)
  }

  /** Returns the page of a path below the admin's URL, with the parameters in the path; null if there is none. */
  find(path: string): OpenedPage | null {
    const found = this.#router().find('GET', `/${path}`)
    if (found === null) return null
    return { page: found.store as AdminPage, params: found.params as Record<string, string> }
  }

  /** Returns the folder that was registered with `addAssets` under a name, or undefined. */
  folderOf(name: string): string | undefined {
    return this.#assets.get(name)
  }

  /** Returns the modules that plugins have added. */
  modules(): AdminModule[] {
    return [...this.#modules].map(([, module]) => module)
  }

  /** Returns all pages in the order of registration. */
  pages(): AdminPage[] {
    return [...this.#pages].map(([, page]) => page)
  }

  /** Returns the functions that add menu entries. */
  menus(): { entries: MenuEntries; plugin: string }[] {
    return [...this.#menus]
  }

  /** Returns the columns that plugins have added to a list. */
  columns(list: string): PluginPart<ListColumn>[] {
    return [...this.#columns].flatMap((one) => (one.list === list ? [one.column] : []))
  }

  /** Returns the panels that plugins have added to a page. */
  panels(place: string): PluginPart<Panel>[] {
    return [...this.#panels].flatMap((one) => (one.place === place ? [one.panel] : []))
  }
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isFunction = (value: unknown) => typeof value === 'function'

/** First segment of the paths of files. */
export const ASSETS = 'assets'

function routerOf(pages: readonly AdminPage[]) {
  const router = FindMyWay({ maxParamLength: 500 })
  for (const page of pages) router.on('GET', `/${page.path}`, () => undefined, page)
  return router
}
