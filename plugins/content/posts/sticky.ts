import { PRIVACY_PAGE, type SiteOptions } from '../../foundation/settings/index.ts'

/** IDs of the sticky posts. */
export async function stickyPosts(options: SiteOptions): Promise<readonly number[]> {
  const ids = await options.get('sticky_posts')
  return Array.isArray(ids) ? ids.map(Number).filter(Number.isSafeInteger) : []
}

/** Makes a post sticky, or no longer sticky. */
export async function setSticky(options: SiteOptions, post: number, sticky: boolean): Promise<void> {
  await options.update('sticky_posts', (before) => {
    const ids = (Array.isArray(before) ? before : []).map(Number)
    if (ids.includes(post) === sticky) return before
    return sticky ? [...ids, post] : ids.filter((id) => id !== post)
  })
}

/** Whether a post is sticky now, read from the database because another process may have changed it. */
export async function isSticky(options: SiteOptions, post: number): Promise<boolean> {
  const { sticky_posts: ids } = await options.fresh(['sticky_posts'])
  return Array.isArray(ids) && ids.map(Number).includes(post)
}

/** Removes a deleted or trashed post from the site options: sticky posts, front page, posts page, privacy policy. */
export async function takeOffSite(options: SiteOptions, post: number): Promise<void> {
  await setSticky(options, post, false)
  const shown = await options.fresh(['page_on_front', 'page_for_posts', PRIVACY_PAGE])
  if (Number(shown.page_on_front) === post) {
    await options.set('show_on_front', 'posts')
    await options.set('page_on_front', 0)
  }
  if (Number(shown.page_for_posts) === post) await options.set('page_for_posts', 0)
  if (Number(shown[PRIVACY_PAGE]) === post) await options.set(PRIVACY_PAGE, 0)
}
