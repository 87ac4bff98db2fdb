import { escapeHtml, type CurrentUser, type PluginContext, type RestRequest, type User } from '../../public.ts'

const AVATAR_SIZE = 96

/** Whether a user may see the account of another one: email address, names and date of registration. */
export function permits({ services }: PluginContext, user: CurrentUser, id: number): boolean {
  return user.id === id || services.capabilities.can(user, 'list_users')
}

/** Returns a user as an object. Advanced Custom Fields shows the whole account to every visitor; this does not. */
export async function userRow(
  plugin: PluginContext,
  user: User,
  { format, isPermitted, request }: { format: string; isPermitted: boolean; request: RestRequest },
): Promise<unknown> {
  const { avatars, users } = plugin.services
  const profile = await users.profile(user.id, request.scope)
  const private_ = (value: string) => (isPermitted ? value : '')
  if (format === 'object') {
    return {
      data: {
        ID: String(user.id),
        user_nicename: user.slug,
        user_email: private_(user.email),
        user_url: user.url,
        user_registered: private_(user.registered),
        display_name: user.name,
      },
      ID: user.id,
      ...(isPermitted && { roles: profile.roles }),
    }
  }
  return {
    ID: user.id,
    user_firstname: private_(profile.first_name),
    user_lastname: private_(profile.last_name),
    nickname: private_(profile.nickname),
    user_nicename: user.slug,
    display_name: user.name,
    user_email: private_(user.email),
    user_url: user.url,
    user_registered: private_(user.registered),
    user_description: profile.description,
    user_avatar: avatarMarkup(avatars.url(user.email, AVATAR_SIZE), avatars.url(user.email, 2 * AVATAR_SIZE)),
  }
}

function avatarMarkup(url: string, large: string): string {
  const attributes = `class='avatar avatar-${AVATAR_SIZE} photo' height='${AVATAR_SIZE}' width='${AVATAR_SIZE}'`
  return `<img alt='' src='${attributeOf(url)}' srcset='${attributeOf(large)} 2x' ${attributes} loading='lazy' decoding='async'/>`
}

const attributeOf = (url: string) => escapeHtml(url).replaceAll('&amp;', '&#038;')
