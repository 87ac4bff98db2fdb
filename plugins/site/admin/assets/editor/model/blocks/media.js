// Images, galleries, embeds, files, audio and video.
import { decode, sourceOf } from '../html.js'
import { presetValue } from '../supports.js'
import { plain, valueAt } from '../values.js'
import { isElement, onlyElement, readFigure, withoutSpaces, writeCaption } from './parts.js'

/** @typedef {import('../codecs.js').Codec} Codec */

/** @type {Codec} */
const image = {
  block: 'core/image',
  nodes: ['image'],
  sourced: ['url', 'alt', 'title', 'href', 'rel', 'linkClass', 'linkTarget'],
  colorRole: 'img',
  classes({ id, sizeSlug, width, height, borderColor, style }, role) {
    if (role === 'img') return typeof id === 'number' ? [`wp-image-${id}`] : []
    if (role !== 'main') return []
    return [
      ...(sizeSlug ? [`size-${plain(sizeSlug)}`] : []),
      ...(width || height ? ['is-resized'] : []),
      ...(borderColor || valueAt(style, 'border') ? ['has-custom-border'] : []),
    ]
  },
  style({ width, height, aspectRatio, scale }, role) {
    if (role !== 'img') return {}
    return {
      ...(aspectRatio ? { 'aspect-ratio': presetValue(plain(aspectRatio)) } : {}),
      ...(scale ? { 'object-fit': plain(scale) } : {}),
      ...(typeof width === 'string' && width !== '' ? { width } : {}),
      ...(typeof height === 'string' && height !== '' ? { height } : {}),
    }
  },
  read(reader) {
    const element = onlyElement(reader.parts, 'figure')
    const figure = element === null ? null : readFigure(reader, element)
    if (figure === null || figure.parts.length !== 1) return null
    const [part] = figure.parts
    const link = isElement(part, 'a') ? part : null
    const img = onlyElement(link === null ? figure.parts : link.children, 'img')
    if (img === null) return null
    const { src, alt, title } = img.attributes
    /** @type {Record<string, unknown>} */
    const attributes = { url: src ?? '' }
    if (alt !== undefined) attributes['alt'] = alt ?? ''
    if (title) attributes['title'] = title
    if (link !== null) {
      const { href, rel, class: linkClass, target } = link.attributes
      attributes['href'] = href ?? ''
      if (rel) attributes['rel'] = rel
      if (linkClass) attributes['linkClass'] = linkClass
      if (target) attributes['linkTarget'] = target
    }
    const tags = { ...figure.tags, img: img.open, ...(link === null ? {} : { link: link.open }) }
    return { attributes, tags, content: figure.caption }
  },
  write(writer) {
    const { url, alt, title, href, rel, linkClass, linkTarget, width, height } = writer.attributes
    const isStyled = typeof width === 'string' || typeof height === 'string'
    const img = writer.tag('img', '<img src="" alt=""/>', {
      src: writer.changed('url', url),
      alt: writer.changed('alt', alt),
      title: writer.changed('title', title),
      width: writer.changed('width', isStyled ? null : width),
      height: writer.changed('height', isStyled ? null : height),
    })
    const link =
      href === undefined || href === ''
        ? null
        : writer.tag('link', '<a>', {
            href: writer.changed('href', href),
            class: writer.changed('linkClass', linkClass),
            target: writer.changed('linkTarget', linkTarget),
            rel: writer.changed('rel', rel),
          })
    const picture = link === null ? img : `${link}${img}</a>`
    return `${writer.tag('main', '<figure class="wp-block-image">')}${picture}${writeCaption(writer)}</figure>`
  },
}

/** @type {Codec} */
const gallery = {
  block: 'core/gallery',
  nodes: ['gallery'],
  defaults: { imageCrop: true },
  classes: ({ columns, imageCrop }, role) =>
    role === 'main'
      ? [
          'has-nested-images',
          `columns-${typeof columns === 'number' ? columns : 'default'}`,
          ...(imageCrop === false ? [] : ['is-cropped']),
        ]
      : [],
  read(reader) {
    const element = onlyElement(reader.parts, 'figure')
    if (element === null) return null
    const last = withoutSpaces(element.children).at(-1)
    const caption = isElement(last, 'figcaption') ? last : null
    const images = reader.blocks(
      element.children.filter((part) => part !== caption),
      'image',
    )
    const text = caption === null ? null : reader.part('caption', caption.children)
    if (images === null || (caption !== null && text === null)) return null
    const tags = { main: element.open, ...(caption === null ? {} : { caption: caption.open }) }
    return { tags, content: text === null ? images : [...images, text] }
  },
  write(writer) {
    const caption = writer.children.find(({ type }) => type.name === 'caption')
    const images = writer.blocks(writer.children.filter((child) => child !== caption))
    const initial = '<figcaption class="blocks-gallery-caption wp-element-caption">'
    const html = caption === undefined ? '' : writer.text(caption)
    const text = html === '' ? '' : `${writer.tag('caption', initial)}${html}</figcaption>`
    return `${writer.tag('main', '<figure class="wp-block-gallery has-nested-images columns-default is-cropped">')}${images}${text}</figure>`
  },
}

/** @type {Codec} */
const embed = {
  block: 'core/embed',
  nodes: ['embed'],
  needs: 'url',
  defaults: { allowResponsive: true, responsive: false, previewable: true },
  classes({ type, providerNameSlug }, role) {
    if (role !== 'main') return []
    const provider = plain(providerNameSlug)
    return [
      ...(type ? [`is-type-${plain(type)}`] : []),
      ...(provider === '' ? [] : [`is-provider-${provider}`, `wp-block-embed-${provider}`]),
    ]
  },
  read(reader) {
    const element = onlyElement(reader.parts, 'figure')
    const figure = element === null ? null : readFigure(reader, element)
    const wrapper = figure === null ? null : onlyElement(figure.parts, 'div')
    const [url, ...others] = wrapper?.children ?? []
    if (figure === null || wrapper === null || url?.type !== 'text' || others.length > 0) return null
    if (decode(url.raw.trim()) !== reader.block.attributes['url']) return null
    return { tags: { ...figure.tags, wrapper: wrapper.open }, content: figure.caption }
  },
  write(writer) {
    const url = plain(writer.attributes['url']).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    const wrapper = `${writer.tag('wrapper', '<div class="wp-block-embed__wrapper">')}\n${url}\n</div>`
    return `${writer.tag('main', '<figure class="wp-block-embed">')}${wrapper}${writeCaption(writer)}</figure>`
  },
}

/**
 * Attributes of the block that are attributes of the element, and their names there.
 * @type {Readonly<Record<string, string>>}
 */
const PLAYER = {
  src: 'src',
  autoplay: 'autoplay',
  loop: 'loop',
  preload: 'preload',
  controls: 'controls',
  muted: 'muted',
  poster: 'poster',
  playsInline: 'playsinline',
}

/**
 * @param {'audio' | 'video'} tag
 * @returns {Codec}
 */
function playerCodec(tag) {
  return {
    block: `core/${tag}`,
    nodes: [tag],
    ...(tag === 'audio' ? { needs: 'src' } : {}),
    sourced: Object.keys(PLAYER),
    read(reader) {
      const element = onlyElement(reader.parts, 'figure')
      const figure = element === null ? null : readFigure(reader, element)
      if (figure !== null && figure.parts.length === 0) return { tags: figure.tags, content: figure.caption }
      const player = figure === null ? null : onlyElement(figure.parts, tag)
      if (figure === null || player === null) return null
      /** @type {Record<string, unknown>} */
      const attributes = {}
      for (const [name, html] of Object.entries(PLAYER)) {
        if (Object.hasOwn(player.attributes, html))
          attributes[name] = player.attributes[html] || (html !== 'src' ? true : '')
      }
      const tracks = player.children.map(sourceOf).join('')
      return { attributes, tags: { ...figure.tags, player: player.open, tracks }, content: figure.caption }
    },
    write(writer) {
      const changes = Object.entries(PLAYER).map(([name, html]) => [
        html,
        writer.changed(name, writer.attributes[name] === '' ? null : writer.attributes[name]),
      ])
      const player = writer.tag('player', `<${tag}>`, Object.fromEntries(changes))
      const tracks = writer.form?.tags['tracks'] ?? ''
      const medium = writer.attributes['src'] ? `${player}${tracks}</${tag}>` : ''
      return `${writer.tag('main', `<figure class="wp-block-${tag}">`)}${medium}${writeCaption(writer)}</figure>`
    },
  }
}

/** @type {Codec} */
const file = {
  block: 'core/file',
  nodes: ['file'],
  needs: 'href',
  sourced: ['fileId', 'fileName', 'textLinkHref', 'textLinkTarget', 'downloadButtonText'],
  defaults: { showDownloadButton: true },
  read(reader) {
    const element = onlyElement(reader.parts, 'div')
    const parts = element === null ? [] : withoutSpaces(element.children)
    const preview = isElement(parts[0], 'object') ? parts[0] : null
    const [name, button, ...others] = preview === null ? parts : parts.slice(1)
    if (element === null || !isElement(name, 'a') || others.length > 0) return null
    if (button !== undefined && !isElement(button, 'a')) return null
    const { href, target, id } = name.attributes
    /** @type {Record<string, unknown>} */
    const attributes = { fileName: name.children.map(sourceOf).join(''), textLinkHref: href ?? '' }
    if (id) attributes['fileId'] = id
    if (target) attributes['textLinkTarget'] = target
    if (button !== undefined) attributes['downloadButtonText'] = button.children.map(sourceOf).join('')
    const tags = { main: element.open, name: name.open, ...(button === undefined ? {} : { button: button.open }) }
    return { attributes, tags: { ...tags, ...(preview === null ? {} : { preview: sourceOf(preview) }) } }
  },
  write(writer) {
    const { fileId, fileName, href, textLinkHref, textLinkTarget, downloadButtonText, showDownloadButton } =
      writer.attributes
    const name = writer.tag('name', '<a>', {
      id: writer.changed('fileId', fileId),
      href: writer.changed('textLinkHref', textLinkHref ?? href),
      target: writer.changed('textLinkTarget', textLinkTarget),
      rel: writer.changed('textLinkTarget', textLinkTarget ? 'noreferrer noopener' : null),
    })
    const initial = `<a href="" class="wp-block-file__button wp-element-button" download>`
    const button =
      showDownloadButton === false || (writer.form !== null && downloadButtonText === undefined)
        ? ''
        : `${writer.tag('button', initial, {
            href: writer.changed('href', href),
            'aria-describedby': writer.changed('fileId', fileId),
          })}${plain(downloadButtonText)}</a>`
    const preview = writer.form?.tags['preview'] ?? ''
    return `${writer.tag('main', '<div class="wp-block-file">')}${preview}${name}${plain(fileName)}</a>${button}</div>`
  },
}

/** @type {readonly Codec[]} */
export const mediaCodecs = [image, gallery, embed, playerCodec('audio'), playerCodec('video'), file]
