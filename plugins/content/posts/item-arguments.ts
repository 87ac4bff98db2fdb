import type { Arguments, PluginContext } from '../../../kernel/index.ts'
import { validateValue } from '../../requests/arguments/index.ts'
import type { ContentType } from '../content-types/index.ts'

/**
 * Returns the arguments that change a post. They accept its current status as well, because clients send back items they
 * have read.
 */
export function updateArguments(args: Arguments, { services }: PluginContext, type: ContentType): Arguments {
  const { status } = args
  if (status === undefined) return args
  return {
    ...args,
    status: {
      ...status,
      validate_callback: async (value, request) => {
        const fits = validateValue(value, status, 'status')
        if (fits === true) return true
        const post = await services.posts.get(Number(request.captures['id']), request.scope)
        return (post?.type === type.name && post.status === value) || fits
      },
    },
  }
}
