import type { Examples } from '../pages.ts'

export default {
  async prepare(site) {
    // Enough of a woff2 file to be recognized.
    await site.shell('printf wOF2 > open-sans.woff2 && head -c 60 /dev/zero >> open-sans.woff2')
    const [theme] = (await site.request('GET', '/svc/v2/themes?status=active')) as unknown as {
      _links: Record<string, { href: string }[]>
    }[]
    const styles = theme!._links['svc:user-global-styles']![0]!.href
    const id = Number(styles.split('/').at(-1))
    const { id: last } = await site.request('POST', '/svc/v2/posts', { title: 'The last ID before the examples' })
    // The first block also stores a revision of the styles.
    return { 'global-styles/12': `global-styles/${id}`, 'font-families/14': `font-families/${Number(last) + 2}` }
  },
  prints: [/"text":"#222222"/, /"slug":"open-sans"[\s\S]*"fontWeight":"400"/],
} satisfies Examples as Examples
