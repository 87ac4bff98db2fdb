import {
  SCHEMA_DRAFT,
  type ItemSchema,
  type ResourceInput,
  type ResourceWriter,
  type Selection,
} from '../../resources/index.ts'
import { validateValue } from '../../requests/arguments/index.ts'
import type {
  Arguments,
  EndpointGroup,
  Links,
  PluginContext,
  RestRequest,
  RestResponse,
  RestError,
  RestServer,
} from '../../../kernel/index.ts'
import { FONT_FACE_FILE_KEY } from '../../content/meta-keys.ts'
import type { Post, PostQuery } from '../../content/posts/index.ts'
import { errors } from './errors.ts'
import { storeSources, type Sources } from './files.ts'
import { FontsController, THEME_JSON_VERSION, type FontChange } from './fonts-controller.ts'
import { themeJsonVersion } from './schema.ts'
import { FACE, faceKey, facePropertiesSchema, parseSettings, settingsIn, type FontSettings } from './settings.ts'

/** Routes of font faces: they can be created and deleted, but not changed. */
export class FontFacesController extends FontsController {
  protected override readonly input: ResourceInput<Post, PostQuery, FontChange>
  protected override readonly writer: ResourceWriter<Post, FontChange>
  readonly #families: string
  readonly #maxBytes: number
  /** Files stored by a request, to be deleted if the request fails. */
  readonly #stored = new WeakMap<RestRequest, Sources['stored']>()

  /**
   * Registers the routes of font faces.
   * @param maxBytes maximum bytes of a file
   */
  constructor(plugin: PluginContext, maxBytes: number) {
    super(plugin, 'font-families', plugin.branding.typeName('font_face'))
    this.#families = plugin.branding.typeName('font_family')
    this.#maxBytes = maxBytes
    const { posts } = plugin.services
    this.input = {
      queryOf: async (request) => ({ ...this.queryOf(request), parent: [(await this.#family(request)).id] }),
      changeOf: (request) => this.#faceOf(request),
    }
    this.writer = {
      create: (face, request) => this.#create(face, request),
      update: ({ id }, change, { user, scope }) => posts.update(id, change, { user, scope }),
      delete: ({ id }, { user, scope }) => posts.remove(id, { user, scope }),
    }
  }

  override register(server: RestServer): void {
    const family = { description: 'ID of the family.', type: 'integer', required: true } as const
    const id = { description: 'ID of the face.', type: 'integer', required: true } as const
    const path = `${this.restBase}/(?P<font_family_id>[\\d]+)/font-faces`
    this.registerRoute(server, path, this.listEndpoints(), { font_family_id: family })
    this.registerRoute(server, `${path}/(?P<id>[\\d]+)`, this.itemEndpoints(), { font_family_id: family, id })
  }

  protected override itemEndpoints(): EndpointGroup[] {
    return super.itemEndpoints().toSpliced(1, 1)
  }

  /** Returns the family in the URL. @throws rest_post_invalid_parent */
  async #family({ captures, scope }: RestRequest): Promise<Post> {
    const family = await this.plugin.services.posts.get(Number(captures['font_family_id']), scope)
    if (family?.type !== this.#families) throw errors.rest_post_invalid_parent()
    return family
  }

  /** @throws rest_post_invalid_parent, rest_post_invalid_id, rest_font_face_parent_id_mismatch */
  override async itemOf(request: RestRequest): Promise<Post> {
    const face = await this.stored(request)
    const family = await this.#family(request)
    if (face.parent_id !== family.id) throw errors.rest_font_face_parent_id_mismatch()
    return face
  }

  override itemArguments(): Arguments {
    return {
      theme_json_version: themeJsonVersion(),
      font_face_settings: {
        description: 'Settings of the face, as JSON.',
        type: 'string',
        required: true,
        validate_callback: (value, _request, name) => check(value, name),
      },
    }
  }

  // Create

  async #faceOf(request: RestRequest): Promise<FontChange> {
    const family = await this.#family(request)
    const settings = parseSettings(request.get('font_face_settings') as string, FACE, '', true)
    if (settings instanceof Error) throw settings
    const { src, stored } = await storeSources(this.plugin, settings['src'], request, this.#maxBytes)
    this.#stored.set(request, stored)
    const title = faceKey(settings)
    return {
      status: 'publish',
      title,
      slug: this.plugin.services.permalinks.slugify(title),
      content: JSON.stringify({ ...settings, src }),
      parent_id: family.id,
    }
  }

  protected override async create(request: RestRequest): Promise<RestResponse | RestError> {
    try {
      return await super.create(request)
    } catch (error) {
      for (const file of this.#stored.get(request) ?? []) await this.plugin.services.media.discard(file)
      throw error
    }
  }

  protected override locationOf({ id, parent_id: family }: Post): string {
    return this.href(`${family}/font-faces/${id}`)
  }

  /** @throws rest_duplicate_font_face */
  async #create(face: FontChange, request: RestRequest): Promise<Post> {
    const { media, meta, posts } = this.plugin.services
    const { user, scope } = request
    const { items } = await posts.queryLean({
      types: [this.type],
      statuses: ['publish'],
      parent: [face.parent_id!],
      limit: Number.MAX_SAFE_INTEGER,
      readScope: null,
    })
    if (items.some(({ title }) => title === face.title)) throw errors.rest_duplicate_font_face()
    const post = await posts.create({ ...face, type: this.type }, { user, scope })
    const stored = this.#stored.get(request) ?? []
    for (const file of stored) await media.keep(file)
    const names = stored.map(({ file }) => file.slice(file.indexOf('/') + 1))
    if (names.length > 0) await meta.write('post', post.id, FONT_FACE_FILE_KEY, names, scope)
    return post
  }

  // Response

  protected override itemSchema(): ItemSchema {
    const context = ['view', 'edit', 'embed'] as const
    return {
      $schema: SCHEMA_DRAFT,
      title: this.objectType,
      type: 'object',
      properties: {
        id: { description: 'ID of the face.', type: 'integer', context, readonly: true },
        theme_json_version: { ...themeJsonVersion(), context },
        parent: { description: 'ID of the family.', type: 'integer', context },
        font_face_settings: {
          description: 'Settings of the face, with the descriptors of @font-face.',
          type: 'object',
          context,
          properties: facePropertiesSchema(),
          required: [...FACE.required],
          additionalProperties: false,
        },
      },
    }
  }

  protected override toData(face: Post, selection: Selection): Record<string, unknown> {
    return selection.read({
      id: () => face.id,
      theme_json_version: () => THEME_JSON_VERSION,
      parent: () => face.parent_id,
      font_face_settings: (): FontSettings => settingsIn(face.content, FACE),
    })
  }

  protected override toLinks({ id, parent_id: family }: Post): Links {
    const list = `${family}/font-faces`
    return {
      self: { href: this.href(`${list}/${id}`) },
      collection: { href: this.href(list) },
      parent: { href: this.href(family) },
    }
  }
}

function check(value: unknown, name: string): true | RestError {
  if (typeof value !== 'string') return validateValue(value, { type: 'string' }, name)
  const settings = parseSettings(value, FACE, name, true)
  return settings instanceof Error ? settings : true
}
