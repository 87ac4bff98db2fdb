import type { Tree } from './theme-json.ts'

/** Base of every theme: the presets that WordPress content refers to, and the defaults of editors. */
export const DEFAULTS: Tree = {
  version: 3,
  settings: {
    border: { color: false, radius: false, style: false, width: false },
    color: {
      background: true,
      button: false,
      caption: false,
      custom: true,
      customDuotone: true,
      customGradient: true,
      defaultDuotone: true,
      defaultGradients: true,
      defaultPalette: true,
      duotone: [
        ['dark-grayscale', 'Dark grayscale', '#000000', '#7f7f7f'],
        ['grayscale', 'Grayscale', '#000000', '#ffffff'],
        ['purple-yellow', 'Purple and yellow', '#8c00b7', '#fcff41'],
        ['blue-red', 'Blue and red', '#000097', '#ff4747'],
        ['midnight', 'Midnight', '#000000', '#00a5ff'],
        ['magenta-yellow', 'Magenta and yellow', '#c7005a', '#fff278'],
        ['purple-green', 'Purple and green', '#a60072', '#67ff66'],
        ['blue-orange', 'Blue and orange', '#1900d8', '#ffa96b'],
      ].map(([slug, name, ...colors]) => ({ slug, name, colors })),
      heading: false,
      link: false,
      text: true,
      palette: [
        ['black', 'Black', '#000000'],
        ['cyan-bluish-gray', 'Blue gray', '#abb8c3'],
        ['white', 'White', '#ffffff'],
        ['pale-pink', 'Pale pink', '#f78da7'],
        ['vivid-red', 'Red', '#cf2e2e'],
        ['luminous-vivid-orange', 'Orange', '#ff6900'],
        ['luminous-vivid-amber', 'Amber', '#fcb900'],
        ['light-green-cyan', 'Light green', '#7bdcb5'],
        ['vivid-green-cyan', 'Green', '#00d084'],
        ['pale-cyan-blue', 'Pale blue', '#8ed1fc'],
        ['vivid-cyan-blue', 'Blue', '#0693e3'],
        ['vivid-purple', 'Purple', '#9b51e0'],
      ].map(([slug, name, color]) => ({ slug, name, color })),
      gradients: [
        [
          'vivid-cyan-blue-to-vivid-purple',
          'Vivid cyan blue to vivid purple',
          'linear-gradient(135deg,rgb(6,147,227) 0%,rgb(155,81,224) 100%)',
        ],
        [
          'light-green-cyan-to-vivid-green-cyan',
          'Light green cyan to vivid green cyan',
          'linear-gradient(135deg,rgb(122,220,180) 0%,rgb(0,208,130) 100%)',
        ],
        [
          'luminous-vivid-amber-to-luminous-vivid-orange',
          'Luminous vivid amber to luminous vivid orange',
          'linear-gradient(135deg,rgb(252,185,0) 0%,rgb(255,105,0) 100%)',
        ],
        [
          'luminous-vivid-orange-to-vivid-red',
          'Luminous vivid orange to vivid red',
          'linear-gradient(135deg,rgb(255,105,0) 0%,rgb(207,46,46) 100%)',
        ],
        [
          'very-light-gray-to-cyan-bluish-gray',
          'Very light gray to cyan bluish gray',
          'linear-gradient(135deg,rgb(238,238,238) 0%,rgb(169,184,195) 100%)',
        ],
        [
          'cool-to-warm-spectrum',
          'Cool to warm spectrum',
          'linear-gradient(135deg,rgb(74,234,220) 0%,rgb(151,120,209) 20%,rgb(207,42,186) 40%,rgb(238,44,130) 60%,rgb(251,105,98) 80%,rgb(254,248,76) 100%)',
        ],
        [
          'blush-light-purple',
          'Blush light purple',
          'linear-gradient(135deg,rgb(255,206,236) 0%,rgb(152,150,240) 100%)',
        ],
        [
          'blush-bordeaux',
          'Blush bordeaux',
          'linear-gradient(135deg,rgb(254,205,165) 0%,rgb(254,45,45) 50%,rgb(107,0,62) 100%)',
        ],
        [
          'luminous-dusk',
          'Luminous dusk',
          'linear-gradient(135deg,rgb(255,203,112) 0%,rgb(199,81,192) 50%,rgb(65,88,208) 100%)',
        ],
        [
          'pale-ocean',
          'Pale ocean',
          'linear-gradient(135deg,rgb(255,245,203) 0%,rgb(182,227,212) 50%,rgb(51,167,181) 100%)',
        ],
        ['electric-grass', 'Electric grass', 'linear-gradient(135deg,rgb(202,248,128) 0%,rgb(113,206,126) 100%)'],
        ['midnight', 'Midnight', 'linear-gradient(135deg,rgb(2,3,129) 0%,rgb(40,116,252) 100%)'],
      ].map(([slug, name, gradient]) => ({ slug, name, gradient })),
    },
    dimensions: {
      defaultAspectRatios: true,
      aspectRatios: [
        ['square', 'Square', '1'],
        ['4-3', '4:3', '4/3'],
        ['3-4', '3:4', '3/4'],
        ['3-2', '3:2', '3/2'],
        ['2-3', '2:3', '2/3'],
        ['16-9', '16:9', '16/9'],
        ['9-16', '9:16', '9/16'],
      ].map(([slug, name, ratio]) => ({ slug, name, ratio })),
    },
    shadow: {
      defaultPresets: true,
      presets: [
        ['natural', 'Natural', '6px 6px 9px rgba(0, 0, 0, 0.2)'],
        ['deep', 'Deep', '12px 12px 50px rgba(0, 0, 0, 0.4)'],
        ['sharp', 'Sharp', '6px 6px 0px rgba(0, 0, 0, 0.2)'],
        ['outlined', 'Outlined', '6px 6px 0px -3px rgb(255, 255, 255), 6px 6px rgb(0, 0, 0)'],
        ['crisp', 'Crisp', '6px 6px 0px rgb(0, 0, 0)'],
      ].map(([slug, name, shadow]) => ({ slug, name, shadow })),
    },
    spacing: {
      customSpacingSize: true,
      defaultSpacingSizes: true,
      margin: false,
      padding: false,
      units: ['px', 'em', 'rem', 'vh', 'vw', '%'],
      spacingSizes: ['0.44rem', '0.67rem', '1rem', '1.5rem', '2.25rem', '3.38rem', '5.06rem'].map((size, index) => ({
        slug: String(20 + index * 10),
        name: String(index + 1),
        size,
      })),
    },
    typography: {
      customFontSize: true,
      defaultFontSizes: true,
      dropCap: true,
      fontStyle: true,
      fontWeight: true,
      letterSpacing: true,
      lineHeight: false,
      textAlign: true,
      textDecoration: true,
      textTransform: true,
      writingMode: false,
      fontSizes: [
        ['small', 'Small', '13px'],
        ['medium', 'Medium', '20px'],
        ['large', 'Large', '36px'],
        ['x-large', 'Extra large', '42px'],
      ].map(([slug, name, size]) => ({ slug, name, size })),
    },
    blocks: {
      'core/button': {
        border: { radius: true },
        dimensions: {
          width: true,
          dimensionSizes: ['25%', '50%', '75%', '100%'].map((size) => ({ name: size, slug: size.slice(0, -1), size })),
        },
      },
      'core/image': { lightbox: { allowEditing: true } },
      'core/pullquote': { border: { color: true, radius: true, style: true, width: true } },
    },
  },
  styles: {
    spacing: { blockGap: '24px' },
    elements: {
      button: {
        border: { width: '0' },
        color: { background: '#32373c', text: '#fff' },
        spacing: { padding: 'calc(0.667em + 2px) calc(1.333em + 2px)' },
        typography: { fontFamily: 'inherit', fontSize: 'inherit', lineHeight: 'inherit', textDecoration: 'none' },
      },
      link: { typography: { textDecoration: 'underline' } },
    },
    blocks: {
      'core/button': {
        border: { radius: '9999px' },
        variations: {
          outline: {
            border: { color: 'currentColor', style: 'solid', width: '2px' },
            color: { gradient: 'transparent none', text: 'currentColor' },
            spacing: { padding: { top: '0.667em', right: '1.33em', bottom: '0.667em', left: '1.33em' } },
          },
        },
      },
      'core/site-logo': { variations: { rounded: { border: { radius: '9999px' } } } },
    },
  },
}
