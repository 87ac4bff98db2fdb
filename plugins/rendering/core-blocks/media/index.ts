import type { Renderer } from '../renderer.ts'
import { renderCover } from './cover.ts'
import { renderGallery } from './gallery.ts'
import { renderImage } from './image.ts'
import { renderMediaText } from './media-text.ts'
import { renderPlaylist, renderPlaylistTrack } from './playlist.ts'

/** Renderers of blocks with images and sounds, by name. */
export const mediaRenderers: Readonly<Record<string, Renderer>> = {
  cover: renderCover,
  gallery: renderGallery,
  image: renderImage,
  'media-text': renderMediaText,
  playlist: renderPlaylist,
  'playlist-track': renderPlaylistTrack,
}
