import { definePlugin } from '../../kernel/index.ts'
import { memoize } from '../library/long-work/index.ts'

/** Typed smilies and their emoji, as WordPress documents them. */
const FACES: Readonly<Record<string, string>> = {
  ':)': '🙂',
  ':-)': '🙂',
  ':smile:': '🙂',
  ':D': '😀',
  ':-D': '😀',
  ':grin:': '😀',
  ':(': '🙁',
  ':-(': '🙁',
  ':sad:': '🙁',
  ':o': '😮',
  ':-o': '😮',
  ':eek:': '😮',
  '8O': '😯',
  '8-O': '😯',
  ':shock:': '😯',
  ':?': '😕',
  ':-?': '😕',
  ':???:': '😕',
  '8-)': '😎',
  ':cool:': '😎',
  ':x': '😡',
  ':-x': '😡',
  ':mad:': '😡',
  ':P': '😛',
  ':-P': '😛',
  ':razz:': '😛',
  ':|': '😐',
  ':-|': '😐',
  ':neutral:': '😐',
  ';)': '😉',
  ';-)': '😉',
  ':wink:': '😉',
  ':lol:': '😆',
  ':oops:': '😳',
  ':cry:': '😥',
  ':evil:': '👿',
  ':twisted:': '😈',
  ':roll:': '🙄',
  ':!:': '❗',
  ':?:': '❓',
  ':idea:': '💡',
  ':arrow:': '➡',
}

const TYPED = Object.keys(FACES).map((face) => face.replace(/[()?|]/g, '\\$&'))
/** A smiley with only white space, tags or the ends of the text next to it. */
const FACE = new RegExp(`(?<=^|[\\s>])(?:${TYPED.join('|')})(?=[\\s<]|$)`, 'g')
/** Total characters of input and output texts that the memo holds. */
const MAX_REMEMBERED_LENGTH = 1_000_000

/** Replaces typed smilies such as `:-)` by emoji in content, excerpts and comments, unless `use_smilies` is off. */
export default definePlugin({
  name: 'smilies',
  needs: ['content-rendering', 'settings'],
  uses: ['comments'],
  apply({ has, hooks, services }) {
    const { options, contentRendering: rendering } = services
    const pictured = memoize(
      (html) => (html.search(FACE) < 0 ? html : rendering.changeLongText(html, withPictures)),
      MAX_REMEMBERED_LENGTH,
    )
    const show = async (html: string): Promise<string> => {
      const shown = await pictured(html)
      // Most texts have no smiley and need no look-up of the setting.
      if (shown === html) return html
      return (await options.get<boolean>('use_smilies', true)) ? shown : html
    }
    // After all other taps have produced their HTML.
    const tap = { name: 'smilies', stage: 40 }
    hooks.the_content.tapPromise(tap, show)
    hooks.the_excerpt.tapPromise(tap, show)
    if (has('comments')) hooks.comment_text.tapPromise(tap, show)
  },
})

const withPictures = (text: string) => text.replace(FACE, (face) => FACES[face]!)
