// SPDX-License-Identifier: MIT
// Macros that platforms and engines are known to define. Included after the standard headers (which some of them
// break by themselves) and before one of ours. X11's `Status` is left out: it is a name of our API.

// <windows.h>
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define small char
#define near
#define far
#define interface struct
#define ERROR 0
#define NO_ERROR 0
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#define TRUE 1
#define FALSE 0
#define DELETE 0x00010000L
#define TEXT(x) L##x
#define GetMessage GetMessageW
#define LoadString LoadStringW
// <termios.h>, <sys/sysmacros.h>, <complex.h>
#define B0 0
#define B50 1
#define major(x) ((x) >> 8)
#define minor(x) ((x)&255)
#define I 1.0fi
// X11
#define None 0L
#define Bool int
#define Always 2
#define Success 0
#define True 1
#define False 0
// Qt
#define emit
#define signals public
#define slots
#define foreach(variable, container) for (variable : container)
#define forever for (;;)
// Engines, Arduino, old C++ projects
#define check(x) ((void)(x))
#define verify(x) ((void)(x))
#define ensure(x) (x)
#define T(x) L##x
#define F(x) x
#define PI 3.14f
#define INLINE inline
#define MIN(a, b) 0
#define MAX(a, b) 0
#define ABS(a) 0
#define CLAMP(a, b, c) 0
#define DEBUG 1
#define LOG(x) x
#define PAGE_SIZE 4096
#define EOF_TOKEN 1
