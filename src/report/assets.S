/* SPDX-License-Identifier: Apache-2.0
 * The page of `linchpin report`, from share/report. */
    .section .rodata
    .globl page_html, page_html_end, page_css, page_css_end, page_js, page_js_end
page_html:
    .incbin "share/report/page.html"
page_html_end:
    .byte 0
page_css:
    .incbin "share/report/page.css"
page_css_end:
    .byte 0
page_js:
    .incbin "share/report/page.js"
page_js_end:
    .byte 0
    .section .note.GNU-stack, "", @progbits
