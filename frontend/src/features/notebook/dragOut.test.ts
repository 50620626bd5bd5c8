// @vitest-environment jsdom
import { expect, test, vi } from 'vitest'
import { dragFile, dragMarkdown, fileURL } from './dragOut'

test.each([
  ['/home/me/a b', 'plan.images/img 1.png', 'file:///home/me/a%20b/plan.images/img%201.png'],
  ['/home/我', './x/../图#1.png', 'file:///home/%E6%88%91/%E5%9B%BE%231.png'],
  ['/f', 'my%20image.png', 'file:///f/my%20image.png'],
  ['/f', '50%.png', 'file:///f/50%25.png'],
  ['/f', '/tmp/mutsumi_images/a.png', 'file:///tmp/mutsumi_images/a.png'],
  ['/f', 'file:///tmp/a%20b.png', 'file:///tmp/a%20b.png'],
  ['C:\\Users\\me', 'img\\a.png', 'file:///C:/Users/me/img/a.png'],
  ['/f', 'https://example.com/a.png', ''],
  ['/f', 'data:image/png;base64,AA', ''],
  ['/f', 'part:1:2', ''],
  ['/f', 'file://host/a.png', ''],
])('in %s, %s is the file %s', (folder, link, url) => expect(fileURL(folder, link)).toBe(url))

test('a drag takes text or a file along, or does not begin', () => {
  const data: Record<string, string> = {}
  const drag = () => {
    const event = new Event('dragstart', { cancelable: true })
    return Object.assign(event, {
      dataTransfer: { setData: vi.fn((type: string, value: string) => (data[type] = value)), effectAllowed: '' },
    })
  }
  const cell = drag()
  dragMarkdown(cell as unknown as DragEvent, '> q\n\na\n')
  expect([data['text/plain'], data['text/markdown'], cell.dataTransfer.effectAllowed]).toEqual(['> q\n\na\n', '> q\n\na\n', 'copy'])
  const file = drag()
  dragFile(file as unknown as DragEvent, 'file:///f/a.png')
  expect(data['text/uri-list']).toBe('file:///f/a.png\r\n')
  for (const [take, nothing] of [
    [dragMarkdown, '\n'],
    [dragFile, ''],
  ] as const) {
    const event = drag()
    take(event as unknown as DragEvent, nothing)
    expect([event.defaultPrevented, event.dataTransfer.setData.mock.calls.length]).toEqual([true, 0])
  }
})
