import { RequestCache, type PluginContext } from '../../../kernel/index.ts'
import { userNamed } from '../../people/users/index.ts'
import { errors } from './errors.ts'
import { MIN_LINK_SECONDS } from './route.ts'
import type { Previews, PreviewsOptions } from './service.ts'

/** Adds `svc preview` and `svc previews revoke`. */
export function addPreviewCommands(
  { addCommand, services }: PluginContext,
  previews: Previews,
  { max_lifetime: maxLifetime }: Pick<PreviewsOptions, 'max_lifetime'>,
): void {
  const { contentTypes, posts, users } = services
  addCommand('preview', {
    summary: 'Prints a link that shows a post with its unpublished changes to anyone who has it.',
    description: 'The link stops working when the user loses the right to edit the post or changes their password.',
    args: { id: { type: 'integer', required: true, description: 'ID of the post.' } },
    flags: {
      user: {
        type: 'string',
        required: true,
        description: 'Login, email address or ID of a user who may edit the post.',
      },
      front_end: { type: 'string', description: 'Name of the front end; by default the first one.' },
      show: { type: 'integer', description: 'ID of a revision or autosave; by default the newest autosave.' },
      expires: {
        type: 'integer',
        minimum: MIN_LINK_SECONDS,
        maximum: maxLifetime,
        description: 'Lifetime of the link, in seconds.',
      },
    },
    json: true,
    async run({ operands: { id }, flags: { user: name, front_end: frontEnd, show, expires }, printData }) {
      const user = await users.current(await userNamed(users, name))
      const scope = new RequestCache()
      const post = await posts.get(id, scope)
      const type = contentTypes.get(post?.type ?? '')
      const isPreviewed = type !== undefined && previews.isPreviewed(type)
      if (
        user === undefined ||
        post === undefined ||
        !isPreviewed ||
        !(await posts.isReadableForEditing(post, user, scope))
      )
        throw errors.PREVIEW_NOT_EDITABLE(name, id)
      const preview = await previews.link(post, user, { frontEnd, revision: show, expiresIn: expires })
      const data = { ...preview, expires: preview.expires.toISOString() }
      printData(data, preview.link)
    },
  })
  addCommand('previews revoke', {
    summary: 'Revokes all preview links.',
    async run({ print }) {
      await previews.revokeAll()
      print('All preview links have been revoked.')
    },
  })
}
