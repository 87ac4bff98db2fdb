import { invalidParam, type PluginContext } from '../../../kernel/index.ts'
import { referencedId } from '../../resources/index.ts'
import { errors } from './errors.ts'
import { WHOLE_SIZES } from './later-files.ts'

/** Types of posts that no file can be attached to. */
const NO_PARENTS: ReadonlySet<string> = new Set(['attachment', 'revision'])

/** Registers the sources of the parent post of a file, of the URLs of the files of an attachment, and of image sizes. */
export function registerReferences({ services }: PluginContext): void {
  const { imageSizes, media, posts, resources } = services
  // Refuses files and revisions only: whether the user can edit a parent decides the permission check, which also refuses
  // missing posts, so that its response does not reveal which posts exist.
  resources.registerReference('media_parent', async (value, { captures, scope }, argument) => {
    const file = await posts.get(referencedId(captures['id']), scope)
    // Clients send back the stored parent.
    if (value === file?.parent_id) return null
    const parent = await posts.get(referencedId(value), scope)
    const isRefused = parent === undefined || NO_PARENTS.has(parent.type)
    return isRefused ? invalidParam(argument, 'A file cannot be attached to another file or to a revision.') : null
  })
  resources.registerReference('media_file', async (value, { captures, scope }) => {
    const post = await posts.get(Number(captures['id']), scope)
    if (post === undefined) return errors.rest_unknown_attachment()
    const { url, sizes } = await media.data(post, scope)
    const urls = [url, ...Object.values(sizes).map((size) => size.source_url)].map((own) => URL.parse(own)?.href)
    const sent = URL.parse(String(value))?.href
    return sent !== undefined && urls.includes(sent) ? null : errors.rest_unknown_attachment()
  })
  resources.registerReference('image_size', (name) => {
    const isSize = imageSizes.get(String(name)) !== undefined || WHOLE_SIZES.some((whole) => whole === name)
    return isSize ? null : errors.rest_upload_unknown_size(String(name))
  })
}
