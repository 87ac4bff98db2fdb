import { escapeHtml } from '../../../library/markup/index.ts'
import { numberOf, textOf, urlValue } from '../attributes.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'
import { publicFileUrl } from './public-file.ts'

/** Context of tracks: the attributes of the playlist that choose what is shown of a track. */
const SHOWN = ['showTracklist', 'showImages', 'showArtists', 'showTrackLength'] as const

/** Renders a playlist as a list of tracks, each with the player of the browser, which needs no scripts. */
export const renderPlaylist: Renderer = async (block, rendering) => {
  const { attributes } = block
  const tracks = block.innerBlocks.filter(({ name }) => name === 'core/playlist-track')
  const context = Object.fromEntries(SHOWN.map((name) => [name, attributes[name]]))
  const ordered = attributes['order'] === 'desc' ? tracks.toReversed() : tracks
  const items = (await Promise.all(ordered.map((track) => rendering.render(track, context)))).join('')
  if (items === '') return ''
  const blockClass = rendering.classOf(block)
  const list = attributes['showNumbers'] === false ? 'ul' : 'ol'
  const caption = rendering.richText(textOf(attributes, 'caption'))
  const below = caption === '' ? '' : `<figcaption class="${rendering.mark}-element-caption">${caption}</figcaption>`
  return `<figure ${wrapperAttributes(block)}><${list} class="${blockClass}__tracklist">${items}</${list}>${below}</figure>`
}

/** Renders a track of a playlist; empty without a file. */
export const renderPlaylistTrack: Renderer = async (block, rendering) => {
  const { attributes, context } = block
  const src = urlValue(textOf(attributes, 'src') || (await publicFileUrl(numberOf(attributes, 'id', 0), rendering)))
  if (src === '') return ''
  const blockClass = rendering.classOf(block)
  const part = (name: string, html: string) =>
    html === '' ? '' : `<span class="${blockClass}__${name}">${html}</span>`
  const text = (name: string) => rendering.plainText(textOf(attributes, name))
  const isShown = (name: (typeof SHOWN)[number]) => context['showTracklist'] !== false && context[name] !== false
  const image = isShown('showImages') ? urlValue(textOf(attributes, 'image')) : ''
  const title = text('title')
  const details = [
    image === ''
      ? ''
      : `<img class="${blockClass}__image" src="${image}" alt="${escapeHtml(textOf(attributes, 'imageAlt'))}" loading="lazy" />`,
    part('title', title),
    isShown('showArtists') ? part('artist', text('artist')) + part('album', text('album')) : '',
    isShown('showTrackLength') ? part('length', text('length')) : '',
  ].join('')
  const label = title === '' ? '' : ` aria-label="${title}"`
  const element = textOf(attributes, 'type') === 'video' ? 'video' : 'audio'
  return `<li ${wrapperAttributes(block)}>${details}<${element} controls preload="none"${label} src="${src}"></${element}></li>`
}
