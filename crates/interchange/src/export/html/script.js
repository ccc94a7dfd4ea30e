"use strict";
(function(){
const search=document.getElementById("search"),found=document.getElementById("found"),all=[...document.querySelectorAll("article")];
const most=2000,canMark=typeof Highlight==="function"&&CSS.highlights;
let timer;
function mark(word){
if(!canMark)return;
CSS.highlights.delete("hits");
if(!word)return;
const ranges=[];
for(const one of all){
if(one.hidden)continue;
const walk=document.createTreeWalker(one,NodeFilter.SHOW_TEXT);
for(let node;ranges.length<most&&(node=walk.nextNode());){
const text=node.data.toLowerCase();
if(text.length!==node.data.length)continue;
for(let at=text.indexOf(word);at>=0&&ranges.length<most;at=text.indexOf(word,at+word.length)){
const range=new Range();
range.setStart(node,at);
range.setEnd(node,at+word.length);
ranges.push(range);
}
}
}
CSS.highlights.set("hits",new Highlight(...ranges));
}
function look(){
const word=search.value.trim().toLowerCase();
let count=0;
for(const one of all){
const hit=!word||one.textContent.toLowerCase().includes(word);
one.hidden=!hit;
if(hit)count+=1;
if(hit&&word)for(const fold of one.querySelectorAll("details"))if(fold.textContent.toLowerCase().includes(word))fold.open=true;
}
found.textContent=word?count+" of "+all.length:"";
mark(word);
}
search.addEventListener("input",function(){clearTimeout(timer);timer=setTimeout(look,120);});
document.addEventListener("keydown",function(event){
if(event.key==="/"&&document.activeElement!==search){event.preventDefault();search.focus();}
});
document.getElementById("theme").addEventListener("click",function(){
const root=document.documentElement,dark=root.dataset.theme?root.dataset.theme==="dark":matchMedia("(prefers-color-scheme: dark)").matches;
root.dataset.theme=dark?"light":"dark";
});
})();
