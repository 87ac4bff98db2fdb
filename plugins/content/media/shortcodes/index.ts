import type { PluginContext } from '../../../../kernel/index.ts'
import { captionShortcode } from './caption.ts'
import { galleryShortcode } from './gallery.ts'
import { hasPlayerShim, playerShortcode } from './player.ts'

/** Registers the media shortcodes: captions, players and galleries. */
export function registerShortcodes(plugin: PluginContext): void {
  const { branding, services } = plugin
  const { shortcodes } = services
  const prefix = branding.blockMark
  const caption = captionShortcode(plugin, prefix)
  for (const name of ['caption', `${prefix}_caption`]) shortcodes.register(name, caption)
  for (const kind of ['audio', 'video'] as const)
    shortcodes.register(kind, playerShortcode(prefix, kind, hasPlayerShim(plugin)))
  shortcodes.register('gallery', galleryShortcode(plugin, prefix))
}
