// Mails as the programs that people use write them, what becomes of their HTML, and what they say as plain text.

interface Mail {
  name: string
  html: string
  sanitized: string
  text: string
}

const OUTLOOK: Mail = {
  name: 'Outlook',
  html: `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns="http://www.w3.org/TR/REC-html40">
<head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<meta name="Generator" content="Microsoft Word 15 (filtered medium)">
<!--[if !mso]><style>v\\:* {behavior:url(#default#VML);}</style><![endif]-->
<style><!--
/* Font Definitions */
@font-face {font-family:Calibri; panose-1:2 15 5 2 2 2 4 3 2 4;}
p.MsoNormal {margin:0cm; font-size:11.0pt; font-family:"Calibri",sans-serif;}
--></style><!--[if gte mso 9]><xml>
<o:shapedefaults v:ext="edit" spidmax="1026" />
</xml><![endif]-->
</head>
<body lang="DE" link="#0563C1" vlink="#954F72" style="word-wrap:break-word">
<div class="WordSection1">
<p class="MsoNormal"><span lang="EN-US" style="font-size:11.0pt;font-family:&quot;Calibri&quot;,sans-serif;color:#1F497D;mso-fareast-language:EN-US">Dear Ana,<o:p></o:p></span></p>
<p class="MsoNormal"><o:p>&nbsp;</o:p></p>
<p class="MsoNormal" style="margin-bottom:12.0pt;text-indent:-18.0pt;mso-list:l0 level1 lfo1">40 seats at <b><u>24&nbsp;€</u></b>, as agreed.<br>Sincerely<o:p></o:p></p>
<p class="MsoNormal"><a href="mailto:tom@example.com"><span style="color:#0563C1">tom@example.com</span></a><o:p></o:p></p>
<p class="MsoNormal"><img width="120" height="40" style="width:1.25in;height:.4166in" id="Picture_x0020_1" src="cid:image001.png@01DB0000.11112222" alt="Logo"><o:p></o:p></p>
<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">
<p class="MsoNormal"><b>From:</b> Ana &lt;ana@example.com&gt; <br><b>Sent:</b> Monday, 4 January 2027 09:12</p>
</div>
</div>
</body>
</html>
`,
  sanitized: `<div>
<p><span lang="en-us" style="font-size:11.0pt;color:#1f497d">Dear Ana,</span></p>
<p>\u00a0</p>
<p style="margin-bottom:12.0pt">40 seats at <b><u>24\u00a0€</u></b>, as agreed.<br />Sincerely</p>
<p><a href="mailto:tom@example.com" target="_blank" rel="noopener noreferrer nofollow"><span style="color:#0563c1">tom@example.com</span></a></p>
<p><img width="120" height="40" style="width:1.25in;height:.4166in" src="cid:image001.png@01DB0000.11112222" alt="Logo" /></p>
<div style="border:none;border-top:solid #e1e1e1 1.0pt;padding:3.0pt 0cm 0cm 0cm">
<p><b>From:</b> Ana &lt;ana@example.com&gt; <br /><b>Sent:</b> Monday, 4 January 2027 09:12</p>
</div>
</div>`,
  text: `Dear Ana,

40 seats at 24 €, as agreed.
Sincerely

tom@example.com

From: Ana <ana@example.com>
Sent: Monday, 4 January 2027 09:12`,
}

const GMAIL: Mail = {
  name: 'Gmail',
  html: `<div dir="ltr"><div>Hi Tom,</div><div><br></div><div>yes, <b>both</b> work for us:</div><div><ul><li>Monday, 10:00</li><li>Tuesday,&nbsp;<i>after</i> lunch</li></ul></div><div><span class="gmail_signature_prefix">-- </span><br><div dir="ltr" class="gmail_signature" data-smartmail="gmail_signature"><font color="#888888" face="arial, sans-serif" size="2">Ana Lindqvist</font><br><a href="https://www.google.com/url?q=https://example.com/&amp;sa=D&amp;source=calendar" target="_blank" data-saferedirecturl="https://x.example/">example.com</a></div></div></div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">On Mon, Jan 4, 2027 at 9:12 AM Tom &lt;<a href="mailto:tom@example.com">tom@example.com</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex"><div style="font-family: Arial; background-color: rgb(255, 255, 255)">When can we talk?</div></blockquote></div>
<div class="yj6qo"></div><img src="https://mail.example.com/open?id=1" width="1" height="1" class="CToWUd">`,
  sanitized: `<div dir="ltr"><div>Hi Tom,</div><div><br /></div><div>yes, <b>both</b> work for us:</div><div><ul><li>Monday, 10:00</li><li>Tuesday,\u00a0<i>after</i> lunch</li></ul></div><div><span>-- </span><br /><div dir="ltr"><font color="#888888" size="2">Ana Lindqvist</font><br /><a href="https://www.google.com/url?q=https://example.com/&amp;sa=D&amp;source=calendar" target="_blank" rel="noopener noreferrer nofollow">example.com</a></div></div></div><br /><div><div dir="ltr">On Mon, Jan 4, 2027 at 9:12 AM Tom &lt;<a href="mailto:tom@example.com" target="_blank" rel="noopener noreferrer nofollow">tom@example.com</a>&gt; wrote:<br /></div><blockquote style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex"><div style="background-color:rgb(255,255,255)">When can we talk?</div></blockquote></div>
<div></div><img src="https://mail.example.com/open?id=1" width="1" height="1" />`,
  text: `Hi Tom,

yes, both work for us:

- Monday, 10:00
- Tuesday, after lunch

--
Ana Lindqvist
example.com

On Mon, Jan 4, 2027 at 9:12 AM Tom <tom@example.com> wrote:

When can we talk?`,
}

const APPLE: Mail = {
  name: 'Apple Mail',
  html: `<html><head><meta http-equiv="content-type" content="text/html; charset=us-ascii"></head><body style="overflow-wrap: break-word; -webkit-nbsp-mode: space; line-break: after-white-space;">Sounds good.&nbsp;<div><br id="lineBreakAtBeginningOfMessage"><div>
<meta charset="UTF-8"><div style="color: rgb(0, 0, 0); letter-spacing: normal; text-align: start; text-indent: 0px; text-transform: none; white-space: normal; -webkit-text-stroke-width: 0px; text-decoration: none;">Ana</div>
</div>
<div><br><blockquote type="cite"><div>On 4. Jan 2027, at 09:12, Tom &lt;tom@example.com&gt; wrote:</div><br class="Apple-interchange-newline"><div><meta charset="UTF-8"><div style="caret-color: rgb(0, 0, 0); font-size: 14px; font-weight: 400;">Shall we?</div></div></blockquote></div><br></div><object type="application/x-apple-data-detectors"><a href="tel:+493012345">+49 30 12345</a></object><img src="cid:1F2E3D@example.com" alt="sketch.png" apple-inline="yes" id="AB12"></body></html>`,
  sanitized: `Sounds good.\u00a0<div><br /><div>
<div style="color:rgb(0,0,0);text-align:start;white-space:normal;text-decoration:none">Ana</div>
</div>
<div><br /><blockquote type="cite"><div>On 4. Jan 2027, at 09:12, Tom &lt;tom@example.com&gt; wrote:</div><br /><div><div style="font-size:14px;font-weight:400">Shall we?</div></div></blockquote></div><br /></div><a href="tel:+493012345" target="_blank" rel="noopener noreferrer nofollow">+49 30 12345</a><img src="cid:1F2E3D@example.com" alt="sketch.png" />`,
  text: `Sounds good.

Ana

On 4. Jan 2027, at 09:12, Tom <tom@example.com> wrote:

Shall we?

+49 30 12345`,
}

const THUNDERBIRD: Mail = {
  name: 'Thunderbird',
  html: `<!DOCTYPE html>
<html>
  <head>
    <meta http-equiv="Content-Type" content="text/html; charset=UTF-8">
    <title>Re: Offer</title>
  </head>
  <body text="#000000" bgcolor="#FFFFFF">
    <p>The log says:</p>
    <pre class="moz-quote-pre" wrap="">
error: disk &lt;full&gt;
  at line  7
</pre>
    <div class="moz-cite-prefix">Am 04.01.27 um 09:12 schrieb Tom:<br>
    </div>
    <blockquote type="cite" cite="mid:1234@example.com">
      <h2>Steps</h2>
      <ol start="2" type="a">
        <li>
          <p>stop the server</p>
        </li>
        <li value="5">start it</li>
      </ol>
      <hr width="80%" size="1"><tt>done</tt> <s>not yet</s>
    </blockquote>
  </body>
</html>
`,
  sanitized: `<p>The log says:</p>
    <pre>
error: disk &lt;full&gt;
  at line  7
</pre>
    <div>Am 04.01.27 um 09:12 schrieb Tom:<br />
    </div>
    <blockquote type="cite">
      <h2>Steps</h2>
      <ol start="2" type="a">
        <li>
          <p>stop the server</p>
        </li>
        <li value="5">start it</li>
      </ol>
      <hr width="80%" /><tt>done</tt> <s>not yet</s>
    </blockquote>`,
  text: `The log says:

error: disk <full>
  at line  7

Am 04.01.27 um 09:12 schrieb Tom:

Steps

- stop the server

- start it

done not yet`,
}

const NEWSLETTER: Mail = {
  name: 'a newsletter',
  html: `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd"><html lang="en"><head><title>News</title><style type="text/css">@media only screen and (max-width:480px){.col{width:100%!important}}</style><link href="https://fonts.example.com/css" rel="stylesheet"></head><body><div style="display:none!important;max-height:0;overflow:hidden;mso-hide:all">Three things that are new&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div>
<center><table role="presentation" width="600" border="0" cellpadding="0" cellspacing="0" bgcolor="#F4F4F4" align="center" style="max-width:600px; margin:0 auto; border-collapse:collapse;"><tbody><tr><td colspan="2" valign="top" style="padding:20px 0; background:#fff url('https://img.example.com/bg.png') no-repeat;"><a href="https://news.example.com/c?u=1&id=2" style="display:inline-block;color:#ffffff;background-color:#1F6FEB;border-radius:4px;padding:12px 24px;text-decoration:none"><img src="https://img.example.com/logo.png" alt="Example" width="200px" border="0" style="display:block"></a></td></tr>
<tr><th align="left" width="50%">Plan</th><th>Price</th></tr><tr><td nowrap>Small</td><td style="text-align:right;font-weight:700">€&nbsp;9</td></tr></tbody></table>
<p style="font-size:1px;line-height:1px">tiny</p><p style="font:12px/18px Arial;font-size:12px;line-height:1.5">You get this since you asked for it. <a href="https://news.example.com/unsubscribe?u=1">Unsubscribe</a></p><form action="https://news.example.com/poll"><label>Did you like it? <input type="radio" name="q"> yes</label><button>Send</button></form></center><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt=""></body></html>`,
  sanitized: `<div style="display:none">Three things that are new\u034f\u200c\u00a0\u034f\u200c\u00a0\u034f\u200c\u00a0</div>
<center><table role="presentation" width="600" border="0" cellpadding="0" cellspacing="0" bgcolor="#f4f4f4" align="center" style="max-width:600px;margin:0 auto;border-collapse:collapse"><tbody><tr><td colspan="2" valign="top" style="padding:20px 0;background-color:#fff"><a href="https://news.example.com/c?u=1&amp;id=2" style="display:inline-block;color:#ffffff;background-color:#1f6feb;border-radius:4px;padding:12px 24px;text-decoration:none" target="_blank" rel="noopener noreferrer nofollow"><img src="https://img.example.com/logo.png" alt="Example" width="200" border="0" style="display:block" /></a></td></tr>
<tr><th align="left" width="50%">Plan</th><th>Price</th></tr><tr><td nowrap>Small</td><td style="text-align:right;font-weight:700">€\u00a09</td></tr></tbody></table>
<p>tiny</p><p style="font-size:12px;line-height:1.5">You get this since you asked for it. <a href="https://news.example.com/unsubscribe?u=1" target="_blank" rel="noopener noreferrer nofollow">Unsubscribe</a></p>Did you like it?  yesSend</center><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="" />`,
  text: `Three things that are new

Plan Price
Small € 9

tiny

You get this since you asked for it. Unsubscribe

Did you like it? yesSend`,
}

export const MAILS: readonly Mail[] = [OUTLOOK, GMAIL, APPLE, THUNDERBIRD, NEWSLETTER]
